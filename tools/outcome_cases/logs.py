"""x."""


def cases():
    return ()
