"""The spatial referential game: environment, recordings and the analysis of the language in them."""

__version__ = "0.1.0"


def _register_environments() -> None:
    """Enter the environments in PettingZoo's registries, where this version of it has them (1.27 does)."""
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:
        return
    for name in ("referential", "referential_symbol"):
        for kind, registry, constructor in (
            ("aec", aec_registry, "env"),
            ("parallel", parallel_registry, "parallel_env"),
        ):
            if f"spatial_game/{name}-v0" not in registry:
                register(kind, f"spatial_game/{name}-v0", f"spatial_game.{name}_v0:{constructor}")


_register_environments()
