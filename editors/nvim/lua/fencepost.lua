-- fencepost in Neovim 0.7 and later: diagnostics, code lenses and fences from `fencepost lsp`.
--
--   require("fencepost").setup()
--   require("fencepost").setup({ cmd = { "fencepost", "lsp", "--model", "tso,pso" }, filetypes = { "c", "fp", "litmus" } })
--
-- Programs are checked when they are saved, and with :FencepostCheck. :FencepostFences inserts the fences that make the
-- program robust, :FencepostSteps lists the steps of the execution under the cursor, :FencepostCancel stops a check.
local M = { client = nil, config = nil }

local defaults = { cmd = { "fencepost", "lsp" }, filetypes = { "c", "cpp", "fp", "litmus" } }

local function uri() return vim.uri_from_bufnr(0) end

-- request executes a command of the server about the current buffer.
local function request(command, done)
  local client = M.client and vim.lsp.get_client_by_id(M.client)
  if not client then
    vim.notify("fencepost is not running for this buffer", vim.log.levels.WARN)
    return
  end
  client.request("workspace/executeCommand", { command = command, arguments = { uri() } }, function(err, answer)
    if err then
      vim.notify("fencepost: " .. (err.message or "failed"), vim.log.levels.WARN)
    elseif done then
      done(answer)
    end
  end, 0)
end

function M.check()
  request("fencepost.check", function(answer)
    if type(answer) == "string" then vim.notify(answer) end
    pcall(vim.lsp.codelens.refresh)
  end)
end

function M.cancel() request("fencepost.cancel") end

-- fences asks for the fences that make the program robust, and inserts the first set.
function M.fences()
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {} }
  vim.lsp.buf_request(0, "textDocument/codeAction", params, function(err, actions)
    if err or not actions or not actions[1] then
      vim.notify("fencepost knows no fences for this text: save it first")
      return
    end
    vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
    vim.notify(actions[1].title)
  end)
end

-- steps puts the steps of the executions under the cursor into the quickfix list.
function M.steps()
  local line, items = vim.api.nvim_win_get_cursor(0)[1] - 1, {}
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = line })) do
    local lsp = d.user_data and d.user_data.lsp or {}
    for _, step in ipairs(lsp.relatedInformation or d.relatedInformation or {}) do
      local start = step.location.range.start
      table.insert(items, { filename = vim.uri_to_fname(step.location.uri), lnum = start.line + 1, col = start.character + 1, text = step.message })
    end
  end
  if #items == 0 then
    vim.notify("no execution at this line")
    return
  end
  vim.fn.setqflist({}, " ", { title = "fencepost: the execution, step by step", items = items })
  vim.cmd("copen")
end

-- attach starts the server once, and attaches it to a buffer.
local function attach(buffer)
  if not (M.client and vim.lsp.get_client_by_id(M.client)) then
    M.client = vim.lsp.start_client({ name = "fencepost", cmd = M.config.cmd, root_dir = vim.fn.getcwd() })
  end
  if not M.client then return end
  vim.lsp.buf_attach_client(buffer, M.client)
  vim.api.nvim_buf_call(buffer, function()
    vim.cmd("command! -buffer FencepostCheck lua require('fencepost').check()")
    vim.cmd("command! -buffer FencepostCancel lua require('fencepost').cancel()")
    vim.cmd("command! -buffer FencepostFences lua require('fencepost').fences()")
    vim.cmd("command! -buffer FencepostSteps lua require('fencepost').steps()")
  end)
end

function M.setup(config)
  M.config = vim.tbl_extend("force", defaults, config or {})
  vim.api.nvim_create_autocmd("FileType", { pattern = M.config.filetypes, callback = function(event) attach(event.buf) end })
  vim.api.nvim_create_autocmd({ "BufEnter", "BufWritePost" }, { pattern = "*", callback = function() pcall(vim.lsp.codelens.refresh) end })
end

return M
