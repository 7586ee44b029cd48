"""The WSGI application of FlaskBB."""

from pathlib import Path

from flaskbb import create_app

flaskbb = create_app(config=str(Path(__file__).with_name("flaskbb_config.py")))
