import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { findFreePort, startServer } from './child-server.ts'
import type { Server } from './peer.ts'

/** nginx over the same root until the bench ends, or null, with a note why, where there is none to be had. */
export async function startNginx(bench: Bench): Promise<Server | null> {
  try {
    return await start(bench)
  } catch (error) {
    bench.notes.add(`download: not held against nginx: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

async function start(bench: Bench): Promise<Server> {
  const nginx = Bun.which('nginx')
  if (nginx === null) throw new Error('it was not found')
  const home = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  bench.atEnd(() => rm(home, { recursive: true, force: true }))
  const port = await findFreePort()
  const config = join(home, 'nginx.conf')
  await writeFile(config, toConfig(home, bench.root, port))
  const url = `http://127.0.0.1:${port}`
  const argv = [nginx, '-p', home, '-c', config, '-e', join(home, 'error.log')]
  const { stop } = await startServer(argv, url, join(home, 'output.log'))
  bench.atEnd(stop)
  return { url: new URL(url), token: '' }
}

function toConfig(home: string, root: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
    # Started by root, nginx would serve as a user who may not read the folder.
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 1;
    pid "${home}/nginx.pid";
    error_log "${home}/error.log";
    events {}
    http {
      sendfile on;
      access_log off;
      default_type application/octet-stream;
      ${temporary.map((name) => `${name}_temp_path "${home}/${name}";`).join(' ')}
      server { listen 127.0.0.1:${port}; root "${root}"; }
    }
  `
}
