import { expect, test } from 'bun:test'
import { parseWrk } from './load.ts'

const report = `Running 2s test @ http://127.0.0.1:8080/health
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   140.93us   89.33us   3.17ms   95.98%
    Req/Sec    56.86k     4.44k   61.77k    85.71%
  118681 requests in 2.10s, 17.09MB read
Requests/sec:  56515.57
Transfer/sec:      8.14MB
`

test('the rate is read from a report', () => {
  expect(parseWrk(report)).toBe(56515.57)
})

test.each(['  Non-2xx or 3xx responses: 118681\n', '  Socket errors: connect 8, read 0, write 0, timeout 0\n'])(
  'a report with%sis refused',
  (line) => {
    expect(() => parseWrk(report.replace('Requests/sec', `${line}Requests/sec`))).toThrow(line.trim())
  },
)

test('a report without answers is refused', () => {
  expect(() => parseWrk(report.replace('56515.57', '0.00'))).toThrow('no answers')
})
