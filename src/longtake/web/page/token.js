/** The dialog that asks for the server's token. */

import { byId } from "./dom.js";

let asking = null;

/** Resolves once the server has accepted the token and set its cookie. */
export function signIn() {
  asking ??= new Promise((resolve) => {
    const dialog = byId("token");
    const field = byId("token-field");
    dialog.addEventListener("cancel", (event) => event.preventDefault()); // without a token the page can do nothing
    dialog.querySelector("form").onsubmit = async (event) => {
      event.preventDefault();
      const problem = await refusal(field.value);
      byId("token-problem").textContent = problem ?? "";
      if (problem) return field.select();
      field.value = "";
      dialog.close();
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}

async function refusal(token) {
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  }).catch(() => null);
  if (response?.ok) return null;
  return (await response?.json().catch(() => null))?.error?.message ?? "Can't reach the server.";
}
