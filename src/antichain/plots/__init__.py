"""Pictures of orders and results: computing a picture and drawing it are kept apart."""
