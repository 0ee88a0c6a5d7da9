-- Requests one path after another: wrk -s requests.lua URL -- FILE REQUESTS_PER_CONNECTION
-- The file has one path per line, and is used repeatedly.
-- At intervals, a request of a thread asks the server to close the connection, and wrk connects
-- again: wrk itself would keep each connection open forever, as 0 does.

local paths, keep, close = {}, {}, {}
local perConnection
local sent = 0

function init(args)
   perConnection = tonumber(args[2])
   for path in io.lines(args[1]) do
      paths[#paths + 1] = path
      if not keep[path] then
         keep[path] = wrk.format("GET", path)
         close[path] = wrk.format("GET", path, {["Connection"] = "close"})
      end
   end
end

function request()
   local path = paths[sent % #paths + 1]
   sent = sent + 1
   local last = perConnection > 0 and sent % perConnection == 0
   return (last and close or keep)[path]
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
