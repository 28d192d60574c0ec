"""Pages as programs write them: the empty shells of applications, and short pages that hold all they have to say."""

from __future__ import annotations

import re

import pytest

from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction

TITLE = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Harbour</title>"
LONG = "<p>" + "The harbour opens at eight and closes at six, and the ferry leaves from the pier. " * 12
ANALYTICS = (
    "<script async src=https://stats.example/tag.js></script><noscript><iframe src=https://stats.example/ns.html "
    "height=0 width=0></iframe><img src=https://stats.example/p.gif></noscript>"
)

SHELLS = {
    "create-react-app": TITLE + "<script defer src=/static/js/main.3f9a.js></script></head><body><noscript>You need to "
    "enable JavaScript to run this app.</noscript><div id=root></div></body></html>",
    "vite react": TITLE + "<script type=module crossorigin src=/assets/index-4f2a.js></script></head><body>"
    "<div id=root></div></body></html>",
    "vue cli": TITLE + "<script defer src=/js/chunk-vendors.1.js></script></head><body><noscript><strong>We're "
    "sorry but "
    "shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript>"
    "<div id=app></div></body></html>",
    "vue with the plea inside": TITLE + "<body><div id=app><noscript>Please enable JavaScript.</noscript></div>"
    "<script src=/js/app.js></script></body></html>",
    "angular": TITLE + "<base href=/></head><body class=mat-typography><app-root></app-root><script src=runtime.1.js "
    "type=module></script><script src=main.2.js type=module></script></body></html>",
    "angular that loads": TITLE + "<body><app-root>Loading...</app-root><script src=main.js></script></body></html>",
    "angularjs": TITLE + "<body ng-app=shop><div ng-view></div><script src=/lib/angular.min.js></script></body></html>",
    "next in the browser alone": TITLE + "<script src=/_next/static/chunks/main-1.js defer></script></head><body>"
    "<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{\"props\":{}}</script></body></html>",
    "nuxt spa": TITLE + "<body><div id=__nuxt></div><script>window.__NUXT__={}</script>"
    "<script type=module src=/_nuxt/entry.js></script></body></html>",
    "gatsby": TITLE + "<body><div id=___gatsby><div id=gatsby-focus-wrapper></div></div><script "
    "src=/app-1.js></script>",
    "sveltekit spa": TITLE + "<body><div style='display: contents'><script>{__sveltekit_1={};Promise.all([import("
    "'/_app/immutable/entry/start.js')])}</script></div></body></html>",
    "svelte template": TITLE + "<script defer src=/build/bundle.js></script></head><body></body></html>",
    "ember": TITLE + "<meta name=shop/config/environment content=x></head><body><script "
    "src=/assets/vendor-1.js></script>"
    "<script src=/assets/shop-1.js></script><div id=ember-basic-dropdown-wormhole></div></body></html>",
    "flutter web": TITLE + "<body><script src=flutter_bootstrap.js async></script></body></html>",
    "blazor": TITLE + "<body><div id=app><svg class=loading-progress><circle r=40 /></svg><div></div></div>"
    "<div id=blazor-error-ui>An unhandled error has occurred. <a href='' class=reload>Reload</a> <a class=dismiss>x</a>"
    "</div><script src=_framework/blazor.webassembly.js></script></body></html>",
    "old blazor": TITLE + "<body><app>Loading...</app><script src=_framework/blazor.webassembly.js></script></body>",
    "sharepoint modern": TITLE + "<body><noscript><div>Please enable scripts and reload this page.</div></noscript>"
    "<div id=SPPageChromeAppDiv></div><script>var _spPageContextInfo={}</script></body></html>",
    "gwt": TITLE + "<script src=shop/shop.nocache.js></script></head><body><iframe src=\"javascript:''\" "
    "id=__gwt_historyFrame style=position:absolute;width:0></iframe><noscript><div>Your web browser must have "
    "JavaScript "
    "enabled in order for this application to display correctly.</div></noscript></body></html>",
    "ui5": TITLE + "<script id=sap-ui-bootstrap src=resources/sap-ui-core.js></script></head><body class=sapUiBody "
    "id=content></body></html>",
    "polymer": TITLE + "<script type=module src=src/my-shop.js></script></head><body><my-shop></my-shop></body></html>",
    "swagger": TITLE + "<body><div id=swagger-ui></div><script src=./swagger-ui-bundle.js></script></body></html>",
    "german, bundler unknown": TITLE + "<script src=/x/9f3.js></script></head><body><div class=kreis>Wird geladen ..."
    "</div></body></html>",
    "chinese": TITLE + "<body><div id=app></div><noscript>请启用 JavaScript 以继续。</noscript><script src=/j.js>",
    "with statistics": TITLE + ANALYTICS + "<script src=/static/js/main.1.js></script></head><body><div id=root></div>",
    "with a footer": TITLE + "<body><div id=app></div><footer>© 2026 Harbour office. <a href=/imprint>Imprint</a> "
    "<a href=/privacy>Privacy</a></footer><script src=/app.js></script></body></html>",
    "in capitals": "<HTML><HEAD><TITLE>H</TITLE><SCRIPT SRC=/APP.JS></SCRIPT></HEAD><BODY><DIV "
    "ID=ROOT></DIV></BODY></HTML>",
}  # fmt: skip

HONEST = {
    "docusaurus": TITLE + "<script src=/assets/js/main.1.js defer></script></head><body><div "
    "id=__docusaurus><main>" + LONG
    + "</main></div></body></html>",
    "next rendered": TITLE + "<body><div id=__next><main>" + LONG + "</main></div><script "
    "src=/_next/static/m.js></script>",
    "next, a short page": TITLE + "<body><div id=__next><h1>404</h1><h2>This page could not be found.</h2></div>"
    "<script src=/_next/static/chunks/main.js></script><script id=__NEXT_DATA__ "
    "type=application/json>{}</script></body>",
    "nuxt rendered": TITLE + "<body><div id=__nuxt><p>Opening hours: eight to six.</p></div><script "
    "src=/_nuxt/e.js></script>",
    "wordpress": TITLE + "<script src=/wp-includes/js/jquery/jquery.min.js></script></head><body class=home><div "
    "id=page>"
    + LONG + "</div></body></html>",
    "wordpress, a short page": TITLE + "<script src=/wp-includes/js/jquery.js></script></head><body><div id=page><div "
    "id=content><h1>Contact</h1><p>Call 555 1234.</p></div></div></body></html>",
    "wordpress gallery": TITLE + "<script src=/wp-includes/js/jquery.js></script></head><body><div id=page><a "
    "href=1.jpg>"
    "<img src=1t.jpg></a><a href=2.jpg><img src=2t.jpg></a></div></body></html>",
    "pictures alone": TITLE + "<script src=/gallery.js></script></head><body><img src=1.jpg><img "
    "src=2.jpg></body></html>",
    "meta refresh": TITLE + "<meta http-equiv=refresh content='0; url=/en/'><script src=/main.js></script></head><body>"
    "<div id=app></div></body></html>",
    "a stub that leads away": "<html><head><script>window.location.href='/en/'</script></head><body></body></html>",
    "a stub with statistics": TITLE + ANALYTICS +
    "<script>location.replace('/en/')</script></head><body></body></html>",
    "a stub with a plea": "<html><head><script>location='/en/'</script></head><body><noscript>Please enable "
    "JavaScript or "
    "<a href=/en/>go on</a>.</noscript></body></html>",
    "frames": "<html><head><title>F</title><script src=/app.js></script></head><frameset cols=*,*><frame "
    "src=a><frame src=b>"
    "</frameset></html>",
    "one frame": TITLE + "<body><iframe src=/plan.html></iframe><script src=/frame.js></script></body></html>",
    "tiny": "<html><body><h1>It works!</h1></body></html>",
    "tiny with statistics": TITLE + ANALYTICS + "</head><body><p>Closed on Monday.</p></body></html>",
    "empty": "<html><head><title>T</title></head><body></body></html>",
    "an empty root without any script": TITLE + "<body><div id=root></div></body></html>",
    "data alone": TITLE + "<script type=application/ld+json>{\"a\":1}</script></head><body><div "
    "id=app></div></body></html>",
    "a login form": TITLE + "<script src=/app.js></script></head><body><div id=app><form>User <input name=u> Password "
    "<input type=password name=p></form></div></body></html>",
    "a search form": TITLE + "<script src=/app.js></script></head><body><div id=root></div><form><input "
    "name=q></form></body>",
    "a list of links": TITLE + "<script src=/main.js></script></head><body>" + "<a href=/x>x</a> " * 12 +
    "</body></html>",
    "a film": TITLE + "<script src=/player.js></script></head><body><video src=f.mp4></video></body></html>",
    "image map": TITLE + "<script src=/main.js></script></head><body><img usemap=#m src=m.gif><map name=m><area "
    "href=/a>"
    "</map></body></html>",
    "chinese prose": TITLE + "<body><p>" + "码头八点开门六点关门渡轮从码头出发" * 15 + "<div id=app></div>"
    "<script src=/app.js></script>",
    "a widget in a page": TITLE + "<body>" + LONG + "<div id=root></div><script src=/main.js></script></body></html>",
    "prose with a plea": TITLE + "<script src=/main.js></script></head><body><p>The ferry leaves at eight from the "
    "pier in "
    "town.</p><noscript>Enable JavaScript for the map.</noscript></body></html>",
    "a page of a script's own words": TITLE + "<body><p>Loading dock: open from eight to six, ring the bell on the "
    "left "
    "side of the gate.</p><script src=/main.js></script></body></html>",
}  # fmt: skip


def read(markup: str) -> Extraction:
    return extract_html(markup.encode(), address="https://h.example/")


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_is_recognised(name: str) -> None:
    assert read(SHELLS[name]).attributes.get("FilledBy") == "script"


@pytest.mark.parametrize("name", HONEST)
def test_a_short_page_is_no_shell(name: str) -> None:
    assert "FilledBy" not in read(HONEST[name]).attributes


def test_a_rendered_shell_is_none() -> None:
    for markup in SHELLS.values():
        filled = re.sub("<body", "<body><main>" + LONG + "</main><div", markup, count=1, flags=re.IGNORECASE)
        assert "FilledBy" not in read(filled).attributes
