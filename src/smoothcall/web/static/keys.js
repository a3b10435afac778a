// Keys, amounts and what is said aloud. Everything works without it, by forms and links.
"use strict";

(() => {
  const first = (selector, within = document) => within.querySelector(selector);
  const typing = (element) =>
    element.matches("textarea, select, [contenteditable]") ||
    (element.matches("input") && !["radio", "checkbox", "range", "button", "submit"].includes(element.type));

  // Amounts: a slider, a number, named amounts and a button that all say the same.

  const setAmount = (form, wanted) => {
    const [slider, field] = [first("[type=range]", form), first("[type=number]", form)];
    const amount = Math.min(Number(field.max), Math.max(Number(field.min), Math.round(wanted)));
    slider.value = field.value = amount;
    showAmount(form);
  };

  const showAmount = (form) => {
    const field = first("[type=number]", form);
    first("#move-r output").textContent = field.value || "?";
    for (const preset of form.querySelectorAll("[data-amount]")) {
      preset.setAttribute("aria-pressed", String(preset.dataset.amount === field.value));
    }
  };

  const moveAmount = (form, key) => {
    const now = Number(first("[type=number]", form).value);
    if (key === "left" || key === "right") {
      setAmount(form, now + (key === "right" ? 1 : -1) * Number(form.dataset.step));
    } else {
      const named = [...form.querySelectorAll("[data-amount]")].map((each) => Number(each.dataset.amount));
      const next = key === "up" ? named.find((each) => each > now) : named.reverse().find((each) => each < now);
      if (next !== undefined) setAmount(form, next);
    }
    first("#move-r").dataset.keys = "r enter";
  };

  document.addEventListener("input", (event) => {
    const form = event.target.closest("[data-amounts]");
    if (form && event.target.type === "range") setAmount(form, Number(event.target.value));
    if (form && event.target.type === "number") {
      first("[type=range]", form).value = event.target.value;
      showAmount(form);
    }
    if (event.target.dataset.labels) {
      const label = event.target.dataset.labels.split("|")[Number(event.target.value)];
      event.target.setAttribute("aria-valuetext", label);
      event.target.parentElement.querySelector("output").textContent = "after " + label;
      const chosen = first("[type=radio]", event.target.closest(".agent"));
      if (chosen) chosen.checked = true;
    }
  });

  document.addEventListener("click", (event) => {
    const preset = event.target.closest("[data-amount]");
    if (preset) {
      event.preventDefault();
      setAmount(preset.form, Number(preset.dataset.amount));
      first("#move-r").dataset.keys = "r enter";
    }
    if (event.target.closest("[data-help]")) first("#help").showModal();
  });

  // Keys

  const names = { Enter: "enter", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "home", End: "end" };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    const target = event.target;
    const key = names[event.key] || (event.key.length === 1 ? event.key.toLowerCase() : "");
    if (!key || typing(target) || first("dialog[open]")) return;
    if (key === "enter" && target.closest("a, button, summary")) return;
    if (target.matches("[type=range], [type=radio]") && ["left", "right", "up", "down", "home", "end"].includes(key)) return;
    const amounts = first("[data-amounts]");
    if (amounts && ["left", "right", "up", "down"].includes(key)) {
      event.preventDefault();
      moveAmount(amounts, key);
      return;
    }
    const found = [...document.querySelectorAll(`[data-keys~="${CSS.escape(key)}"]`)].find((each) => !each.disabled);
    if (found && !(event.repeat && key !== "left" && key !== "right")) {
      event.preventDefault();
      found.click();
    }
  });

  // What happened is said aloud, and the focus stays at the table.

  document.addEventListener("htmx:afterSettle", () => {
    const [says, table] = [first("#says"), first("#table")];
    if (says && table) {
      const lines = [...table.querySelectorAll(".events li")].slice(-4).map((each) => each.textContent);
      const text = [first(".notice", table)?.textContent, ...lines].filter(Boolean).join(". ");
      if (says.textContent !== text) says.textContent = text;
    }
    const stage = table || first("#hand");
    if (stage && document.activeElement === document.body) stage.focus({ preventScroll: true });
  });

  // Trouble on the way to the server

  const trouble = (shown) => {
    first("#trouble").hidden = !shown;
  };
  document.addEventListener("htmx:sendError", () => trouble(true));
  document.addEventListener("htmx:timeout", () => trouble(true));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.xhr && event.detail.xhr.status) trouble(false);
  });

  // The second press of a double click is not meant for the button that stands there after the first.

  document.addEventListener(
    "click",
    (event) => {
      if (event.detail > 1 && event.target.closest("#table .move")) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    true,
  );

  // A form that leads to another page is sent once.

  const busy = (form) => first(".dock button", form);
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.choose")) return;
    if (busy(event.target).hasAttribute("aria-busy")) event.preventDefault();
    else busy(event.target).setAttribute("aria-busy", "true");
  });
  window.addEventListener("pageshow", () => {
    const form = first("form.choose"); // back from the table, the page as it was left
    if (form) busy(form).removeAttribute("aria-busy");
  });
})();
