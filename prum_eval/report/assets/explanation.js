(function () {
  "use strict";
  var kept = null;

  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }

  // Everything that belongs to the key is on; the section that is about the key itself is chosen.
  function show(key) {
    document.body.classList.toggle("choosing", key !== null);
    all(".on, .chosen").forEach(function (one) { one.classList.remove("on", "chosen"); });
    if (key === null) { return; }
    all('[data-in~="' + key + '"]').forEach(function (one) { one.classList.add("on"); });
    all('section[data-in="' + key + '"]').forEach(function (one) { one.classList.add("chosen"); });
  }

  function keep(key) {
    kept = key;
    show(key);
    history.replaceState(null, "", key === null ? location.pathname + location.search : "#" + key);
  }

  all("[data-key]").forEach(function (one) {
    var key = one.getAttribute("data-key");
    one.addEventListener("mouseenter", function () { show(key); });
    one.addEventListener("mouseleave", function () { show(kept); });
    one.addEventListener("click", function () { keep(kept === key ? null : key); });
    one.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); keep(kept === key ? null : key); }
    });
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { keep(null); } });

  var first = document.querySelector('[data-key="' + location.hash.slice(1).replace(/[^a-z0-9]/g, "") + '"]');
  if (first) { first.dispatchEvent(new MouseEvent("click")); }
}());
