-- Asks for files in turn: wrk -s files.lua URL -- FILES REQUESTS_PER_CONNECTION
-- Every so many requests of a thread, one asks the server to close the connection, and wrk connects
-- again: wrk itself would keep each connection for ever. 0 stands for that.

local keep, close = {}, {}
local files, perConnection
local sent = 0

function init(args)
   files, perConnection = tonumber(args[1]), tonumber(args[2])
   for i = 0, files - 1 do
      local path = "/" .. i .. ".bin"
      keep[i] = wrk.format("GET", path)
      close[i] = wrk.format("GET", path, {["Connection"] = "close"})
   end
end

function request()
   sent = sent + 1
   local last = perConnection > 0 and sent % perConnection == 0
   return (last and close or keep)[sent % files]
end

-- One line for a program: requests, failures, bytes, the time in µs, the CPU time of wrk in µs, and
-- percentiles of the latency in µs.
function done(summary, latency, requests)
   local errors = summary.errors
   local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
   io.write(string.format("result %d %d %d %d %d %d %d %d %d\n",
      summary.requests, failed, summary.bytes, summary.duration, os.clock() * 1e6,
      latency:percentile(50), latency:percentile(90), latency:percentile(99),
      latency:percentile(99.9)))
end
