// `npm run bench -- …`: see bench/README.md.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { runtime } from './runtime.mjs'

prepare()
const bench = spawn(runtime(), ['--config=/dev/null', join(root, 'bench/main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => bench.kill(signal))
bench.on('exit', (code) => process.exit(code ?? 1))
