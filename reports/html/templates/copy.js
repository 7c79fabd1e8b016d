// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Buttons that copy the command next to them.
"use strict";

document.addEventListener("click", async ({target: button}) => {
  if (!button.matches(".copy")) return;
  const command = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(command.textContent);
  } catch {
    getSelection().selectAllChildren(command);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  document.getElementById("spoken").textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
