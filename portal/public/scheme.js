// Before anything is drawn: the theme that was chosen here last, else the system's. A file of its
// own, since the page's policy allows no script inside it.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("burgee-theme");
  } catch {
    // Storage is forbidden here: the system's it is.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
