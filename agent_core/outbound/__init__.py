"""The one guarded way out: every request that a model or a person can steer."""
