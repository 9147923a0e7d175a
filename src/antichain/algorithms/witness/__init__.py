"""The parts of `Witness`: what is known, what is believed, and which duels to ask for next."""
