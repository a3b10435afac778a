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
    const blind = Number(form.dataset.blind || 1);
    const told = Number((Number(field.value) / blind).toFixed(2)).toLocaleString("en-US");
    first("#move-r output").textContent = field.value ? told + (form.dataset.blind ? " bb" : "") : "?";
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
    if (event.target.dataset.labels) showOpponent(event.target.closest("[data-opponent]"));
  });

  // The opponent of a seat: what is told about it, or about the checkpoint that the slider stands at.

  const showOpponent = (seat) => {
    const chosen = first("select", seat).selectedOptions[0];
    let [about, explore] = [chosen.dataset.told, chosen.dataset.explore || ""];
    for (const part of seat.querySelectorAll("[data-checkpoints]")) {
      part.hidden = part.dataset.checkpoints !== chosen.value;
      if (part.hidden) continue;
      const slider = first("input", part);
      const [label, id, figures] = ["labels", "ids", "figures"].map((name) => slider.dataset[name].split("|")[Number(slider.value)]);
      slider.setAttribute("aria-valuetext", `after ${label}`);
      first("output", part).textContent = `after ${label}`;
      if (Number(slider.value) < Number(slider.max)) {
        about = [`after ${label}`, figures].filter(Boolean).join(" · ");
        explore = `/explore/${id}`;
      }
    }
    first(".style", seat).hidden = !explore;
    for (const search of seat.querySelectorAll("option[data-search][value=search]")) {
      search.disabled = !chosen.dataset.search;
      if (search.disabled && search.selected) first(".style select", seat).value = "mixed";
    }
    first(".told span", seat).textContent = about;
    const link = first(".told a", seat);
    link.hidden = !explore;
    if (explore) link.href = explore;
  };

  document.addEventListener("change", (event) => {
    const seat = event.target.closest("[data-opponent]");
    if (seat) showOpponent(seat);
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

  // Opponents' actions appear one by one, each with a click; the next hand is dealt by itself where that is set.

  const pace = { instant: 0, normal: 220, slow: 700 };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let told = { hand: "", count: 0 };
  let sounding = null;
  let dealing = 0;

  const click = () => {
    if (document.body.dataset.sound !== "on") return;
    sounding = sounding || new AudioContext();
    const [tone, volume] = [sounding.createOscillator(), sounding.createGain()];
    tone.frequency.value = 520;
    volume.gain.setValueAtTime(0.08, sounding.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, sounding.currentTime + 0.08);
    tone.connect(volume).connect(sounding.destination);
    tone.start();
    tone.stop(sounding.currentTime + 0.09);
  };

  const unfold = (lines) => {
    const step = still.matches ? 0 : pace[document.body.dataset.speed] || 0;
    if (lines.length) click();
    const deals = lines.filter((line) => line.matches(".at-deal.dealer"));
    const slots = [...document.querySelectorAll("#table .slot.dealt .card")];
    let from = slots.length - deals.reduce((sum, line) => sum + line.querySelectorAll("span").length, 0);
    for (const [place, line] of step ? lines.entries() : []) {
      const own = first(`#table .seat[data-seat="${line.dataset.seat}"] .under`);
      const cards = deals.includes(line) ? slots.slice(from, (from += line.querySelectorAll("span").length)) : [];
      if (!place) continue;
      const shown = [line, own, ...cards].filter(Boolean);
      for (const each of shown) each.classList.add("later");
      setTimeout(() => {
        for (const each of shown) each.classList.remove("later");
        click();
      }, step * place);
    }
  };

  const dealSoon = (table) => {
    clearTimeout(dealing);
    const next = first("[data-auto]", table);
    if (!next || document.body.dataset.deal !== "auto") return;
    dealing = setTimeout(() => {
      if (next.isConnected && !next.disabled && !first("dialog[open]")) next.click();
    }, 2500);
  };

  const seen = first("#table");
  if (seen) {
    told = { hand: seen.dataset.hand, count: seen.querySelectorAll(".events li").length };
    dealSoon(seen);
  }

  // What happened is said aloud, every event of it, and the focus stays at the table.

  document.addEventListener("htmx:afterSettle", () => {
    const [says, table] = [first("#says"), first("#table")];
    if (says && table) {
      const lines = [...table.querySelectorAll(".events li")];
      const fresh = table.dataset.hand === told.hand ? lines.slice(told.count) : lines;
      const more = [first(".notice", table), fresh.length ? first(".verdict", table) : null];
      const text = [...fresh, ...more].map((each) => each?.textContent.trim().replace(/\s+/g, " ")).filter(Boolean);
      if (text.length) says.textContent = text.join(". ");
      told = { hand: table.dataset.hand, count: lines.length };
      unfold(fresh);
      dealSoon(table);
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
