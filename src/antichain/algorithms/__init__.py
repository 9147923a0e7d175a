"""The methods, one file each, and the one game of ask and tell that runs them."""
