// `npm start`: serves data/files on http://127.0.0.1:8080. Flags after `--` go to the program and win over these.
import './node-version.mjs'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { prepare, root } from './prepare.mjs'

const given = process.argv.slice(2)
const has = (...flags) => given.some((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)))
const data = join(root, 'data')

prepare()
try {
  if (!has('-d', '--database')) mkdirSync(data, { recursive: true })
  if (!has('-r', '--root')) welcome(join(data, 'files'))
} catch (error) {
  process.stderr.write(
    `Error: ${data} cannot be made: ${error.message}. Name other places: npm start -- --root FOLDER --database FILE\n`,
  )
  process.exit(1)
}

const defaults = [
  ...(has('-d', '--database') ? [] : ['--database', join(data, 'filestead.db')]),
  ...(has('-r', '--root') ? [] : ['--root', join(data, 'files')]),
]
// npm changes into the project; a relative path was meant from where the command was typed.
const cwd = resolve(process.env.INIT_CWD || '.')
const server = spawn(join(root, 'bin/filestead'), [...defaults, ...given], { cwd, stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill(signal))
server.on('exit', (code, signal) => process.exit(signal ? 1 : code))

function welcome(folder) {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'Welcome.md'),
    [
      '# Welcome to Filestead',
      '',
      'This folder is what your server shows. Put files here, or upload them in the browser.',
      '',
      'To serve another folder, start with `npm start -- --root /path/to/folder`.',
      '',
    ].join('\n'),
  )
}
