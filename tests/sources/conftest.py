from hypothesis import settings

# The first call of a compiled kernel takes the compiler's time, which is no failure.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")
