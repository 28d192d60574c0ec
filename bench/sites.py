"""Which documentation packages make the corpus?

A site is one package of HTML documentation, served as one host. The list is written for Debian 12; where a
package carries a version in its name, later names stand behind it and the first one that can be had is taken.
The sites are taken in this order, small ones first, until the corpus is large enough; the last four stand in for
what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """A documentation package and where a reader enters it.

    ``root`` is a glob, inside the unpacked package, for the folder that becomes the host's document root;
    ``entries`` are paths below it that the host's front page links.
    """

    name: str
    packages: tuple[str, ...]
    root: str
    entries: tuple[str, ...] = ("index.html",)


_QT_MODULES = ("qtcore", "qtgui", "qtwidgets", "qtnetwork", "qtsql", "qtxml", "qtconcurrent", "qtdbus", "qtopengl")

SITES: tuple[Site, ...] = (
    Site("python", ("python3.11-doc", "python3.13-doc"), "usr/share/doc/python3.*/html"),
    Site("django", ("python-django-doc",), "usr/share/doc/python-django-doc/html"),
    Site("sqlalchemy", ("python-sqlalchemy-doc",), "usr/share/doc/python-sqlalchemy-doc/html"),
    Site("sympy", ("python-sympy-doc",), "usr/share/doc/python-sympy-doc/html"),
    Site("git", ("git-doc",), "usr/share/doc/git-doc", ("index.html", "git.html")),
    Site("gtk", ("libgtk-3-doc",), "usr/share/gtk-doc/html", ("gtk3/index.html", "gdk3/index.html")),
    Site("sqlite", ("sqlite3-doc",), "usr/share/doc/sqlite3"),
    Site("glibmm", ("libglibmm-2.4-doc",), "usr/share/doc/libglibmm-2.4-doc/reference/html"),
    Site("llvm", ("llvm-14-doc", "llvm-19-doc"), "usr/share/doc/llvm-*-doc/html"),
    Site("eigen", ("libeigen3-doc",), "usr/share/doc/libeigen3-dev/html"),
    Site("postgresql", ("postgresql-doc-15", "postgresql-doc-17"), "usr/share/doc/postgresql-doc-*/html"),
    Site("groovy", ("groovy-doc",), "usr/share/doc/groovy", ("api/index.html", "gapi/index.html")),
    Site("cmake", ("cmake-doc",), "usr/share/doc/cmake-data/html"),
    Site("racket", ("racket-doc",), "usr/share/doc/racket"),
    Site("qt", ("qtbase5-doc-html",), "usr/share/qt5/doc", tuple(f"{name}/{name}-index.html" for name in _QT_MODULES)),
    Site("twisted", ("twisted-doc",), "usr/share/doc/twisted-doc/html"),
    Site("wx", ("wx3.2-doc",), "usr/share/doc/wx3.2-doc/html"),
    Site("libstdc++", ("libstdc++-12-doc", "libstdc++-14-doc"), "usr/share/doc/gcc-*-base/libstdc++"),
    Site("ant", ("ant-doc",), "usr/share/doc/ant", ("manual/index.html", "api/index.html")),
    Site("jfreechart", ("libjfreechart-java-doc",), "usr/share/doc/libjfreechart-java/javadoc"),
    Site("scipy", ("python-scipy-doc",), "usr/share/doc/python-scipy-doc/html"),
    Site("pandas", ("python-pandas-doc",), "usr/share/doc/python-pandas-doc/html"),
)
