// How long files of tests take on two quiet processors, in seconds, as `npm test` prints at its end: what takes long is
// begun first. Where it is wrong, a run takes a little longer and nothing else.

const known = {
  'server/src/storage/disk/staging-crash.test.ts': 48,
  'server/test/archives-crash.test.ts': 15,
  'server/test/channels.test.ts': 30,
  'server/test/command-line-mounts.test.ts': 22,
  'server/test/command-line.test.ts': 10,
  'server/test/container.test.ts': 10,
  'server/test/crash.test.ts': 25,
  'server/test/database-move.test.ts': 40,
  'server/test/deliberate-mistakes.test.ts': 12,
  'server/test/depth.test.ts': 8,
  'server/test/full-disk.test.ts': 9,
  'server/test/image.test.ts': 15,
  'server/test/jobs-compress.test.ts': 45,
  'server/test/jobs-crash.test.ts': 20,
  'server/test/jobs-judged.test.ts': 12,
  'server/test/manual.test.ts': 40,
  'server/test/nodes-death.test.ts': 38,
  'server/test/nodes.test.ts': 30,
  'server/test/postgres-hanging.test.ts': 32,
  'server/test/processes.test.ts': 30,
  'server/test/release.test.ts': 40,
  'server/test/remote-mounts.test.ts': 15,
  'server/test/remote-servers.test.ts': 40,
  'server/test/reserved-names.test.ts': 30,
  'server/test/rights-model.test.ts': 23,
  'server/test/slow-transfers.test.ts': 15,
  'server/test/stalled-readers.test.ts': 30,
  'server/test/takeover.test.ts': 30,
  'server/test/undo-crash.test.ts': 12,
  'server/test/undo-model.test.ts': 12,
  'server/test/undo.test.ts': 8,
}

/** Files of one runner take about as long as this together. */
export const secondsOfBatch = 12

const usual = [
  [/^server\/test\//, 2.5],
  [/\.component\.test\.tsx$/, 1],
  [/^server\/src\/storage\//, 1.5],
  [/^server\//, 0.6],
]

export function secondsOf(file) {
  const path = file.replace(/^\.\//, '')
  return known[path] ?? usual.find(([pattern]) => pattern.test(path))?.[1] ?? 0.1
}
