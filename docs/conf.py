"""Configuration of the documentation site; ``python -m sphinx -W --keep-going -n docs build/site`` builds it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import irdiv

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "irdiv"
author = "The irdiv developers"
project_copyright = author
release = version = irdiv.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "measure_lists",
    "short_names",
    "trim_blocks",
]
root_doc = "index"
exclude_patterns = ["_ext", "gallery", "paper", "plots/*.ipynb", "sg_execution_times.rst"]
templates_path = ["_templates"]
nitpicky = True

# The reference. Types are in the docstrings, in words, where a reader needs them.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "py:obj"

# Pages. Notebooks are shown as they are stored; a test runs them.
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Pictures of pages about measures.
plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "plots",
    "download_all_examples": False,
    "min_reported_time": 3600,
    "capture_repr": (),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "irdiv"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "header_links_before_dropdown": 7,
    "logo": {"text": "irdiv"},
    "navigation_with_keys": False,
    "pygments_dark_style": "a11y-high-contrast-dark",
    "pygments_light_style": "a11y-high-contrast-light",
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "use_edit_page_button": False,
}


def copy_notebooks() -> None:
    """Copy the notebooks into the source of the site, where Sphinx looks for pages."""
    for path in sorted((DOCS.parent / "notebooks").glob("*.ipynb")):
        copy = DOCS / "notebooks" / path.name
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            shutil.copyfile(path, copy)


copy_notebooks()
