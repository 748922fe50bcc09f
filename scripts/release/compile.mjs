import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative } from 'node:path'
import { root } from '../prepare.mjs'
import { runtime } from '../runtime.mjs'

/** The executable with client and server inside. `engine` is the runtime of the target, which need not run here. */
export function compile({ folder, scratch, engine }) {
  const lib = join(folder, 'lib')
  mkdirSync(lib, { recursive: true })
  bun([join(root, 'scripts/release/bundle.mjs'), scratch, lib, join(root, 'server')], root)
  const executable = join(folder, 'filestead')
  bun(
    [
      ...['build', '--compile', `--compile-executable-path=${engine}`, '--asset=dist'],
      `--asset=${join(scratch, 'threads')}`,
      // Neither of these may be read from the working folder: an uploaded file would become code.
      ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
      // Without it the packages in lib are not found; it is read only for those.
      '--compile-autoload-package-json',
      ...[join(scratch, 'main.js'), `--outfile=${executable}`],
    ],
    join(root, 'web'),
  )
  chmodSync(executable, 0o755)
}

/** What a package needs to run, without its sources and without what it brings for other platforms. */
export function copyPackage(from, to, { cpu }) {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => {
      const [top = '', second = ''] = relative(from, path).split('/')
      if (top === 'prebuilds')
        return second === '' || (second === `linux-${cpu}` && !basename(path).startsWith('electron'))
      return !unneeded.test(top) && !/\.(md|ts|mts|cts|map|c|h|cc|hpp|gyp|diff)$/i.test(path)
    },
  })
  markAsCompiled(to)
}

/**
 * The runtime compiles what it loads and keeps the result in the home folder, which may be the one that is served: whoever
 * can write there could change what the next start runs. Files that say they are compiled are run as they are.
 */
function markAsCompiled(folder) {
  const { type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.[cm]?js$/.test(name)) continue
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const isModule = extname(name) === '.mjs' || (extname(name) === '.js' && type === 'module')
    const [head, tail] = isModule
      ? ['// @bun\n', '']
      : ['// @bun @bun-cjs\n(function(exports, require, module, __filename, __dirname) {', '\n})\n']
    writeFileSync(file, head + text.replace(/^#!.*/, '') + tail)
  }
}

const unneeded =
  /^(deps|src|test|tests|bin|install|\.github|binding\.gyp|node_modules|liblzma-.*\.sh|example\.js|\..*)$/

function bun(args, cwd) {
  execFileSync(runtime(), args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
