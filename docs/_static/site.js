// The theme's buttons that unfold the navigation have an icon only: name them for screen readers.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("nav summary")) {
    if (!summary.textContent.trim()) {
      const link = summary.closest("li").querySelector("a");
      summary.setAttribute("aria-label", `Pages below ${link.textContent.trim()}`);
    }
  }
});
