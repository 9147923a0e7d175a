"""Who answers: simulated voters, a matrix, a function, a recording."""
