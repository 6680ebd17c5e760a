"use strict";
// What every page does: buttons copy the text of the element that they name.
const said = (text) => { document.getElementById("said").textContent = text; };
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const name = button.getAttribute("aria-label").replace(/^Copy /, "");
  const usual = (button.dataset.usual ??= button.textContent);
  let done = "copied";
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // without the clipboard, the text is selected, to be copied by hand
    getSelection().selectAllChildren(source);
    done = "selected";
  }
  button.textContent = done;
  said(`${name}: ${done}`);
  setTimeout(() => { button.textContent = usual; }, 1600);
});
