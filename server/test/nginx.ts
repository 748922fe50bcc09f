import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, type Running } from './process.ts'

export const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

const example = readFileSync(join(import.meta.dirname, '../../packaging/proxies/nginx-nodes.conf'), 'utf8')

/**
 * The example of the manual, without connections that are kept: each request goes to the next server. Bodies are of any
 * size, as those of tests that upload without pieces.
 */
export function startProxy(folder: string, front: number, ports: readonly number[]): Running {
  const [, ofServer = ''] = /server 10\.0\.0\.11:8080(.*;)/.exec(example) ?? []
  const servers = ports.map((port) => `server 127.0.0.1:${port}${ofServer}`).join('\n')
  const block = example
    .replace('listen 443 ssl;', `listen 127.0.0.1:${front};`)
    .replace(/ssl_certificate.*\n/g, '\n')
    .replace('client_max_body_size 10m;', 'client_max_body_size 0;')
    .replace(/( *server 10\.0\.0\.1\d:8080.*\n)+ *keepalive 64;/, servers)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const text = [
    `daemon off; pid ${join(folder, 'nginx.pid')}; worker_processes 1; events { worker_connections 256; }`,
    `http { access_log off; ${temporary.join(' ')}`,
    block,
    '}',
  ]
  writeFileSync(join(folder, 'nginx.conf'), text.join('\n'))
  return launch(['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    command: nginx ?? '',
  })
}
