// fencepost in VS Code: starts `fencepost lsp` for C, .fp and litmus tests.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// about asks the server for a command about the program in the editor.
async function about(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) return;
  try {
    const answer = await client.sendRequest("workspace/executeCommand", { command, arguments: [editor.document.uri.toString()] });
    if (answer) vscode.window.setStatusBarMessage(answer.split("\n")[0], 10000);
  } catch (e) {
    vscode.window.showWarningMessage("fencepost: " + e.message);
  }
}

function activate(context) {
  const [command, ...args] = vscode.workspace.getConfiguration("fencepost").get("command");
  client = new LanguageClient("fencepost", "fencepost", { command, args }, {
    documentSelector: [{ scheme: "file", language: "c" }, { scheme: "file", language: "fp" }, { scheme: "file", pattern: "**/*.litmus" }],
  });
  // The commands of the server, fencepost.check and fencepost.cancel, are registered by the client itself, for lenses.
  context.subscriptions.push(
    vscode.commands.registerCommand("fencepost.checkNow", () => about("fencepost.check")),
    vscode.commands.registerCommand("fencepost.cancelNow", () => about("fencepost.cancel")),
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
