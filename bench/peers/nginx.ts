import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Setting, startPeer } from './child-peer.ts'
import { type Dialect, get, put } from './dialect.ts'

/** A web server, as a limit of what can be reached: it knows files, and nothing of accounts, archives or pictures. */
export const nginxDialect: Dialect = {
  list: (folder) => get(`${folder}/`),
  countListed: (body) => (JSON.parse(body) as unknown[]).length,
  download: get,
  upload: put,
}

export const startNginx = startPeer({
  name: 'nginx',
  dialect: nginxDialect,
  versionFlag: '-v',
  argv: (program, { home }) => [program, '-p', home, '-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')],
  prepare: (setting) => writeFile(join(setting.home, 'nginx.conf'), toConfig(setting)),
})

function toConfig({ home, root, scratch, port }: Setting): string {
  const temporary = ['proxy', 'fastcgi', 'uwsgi', 'scgi']
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
      client_max_body_size 0;
      client_body_temp_path "${scratch}/.nginx";
      ${temporary.map((name) => `${name}_temp_path "${home}/${name}";`).join(' ')}
      server {
        listen 127.0.0.1:${port};
        root "${root}";
        autoindex on;
        autoindex_format json;
        dav_methods PUT;
      }
    }
  `
}
