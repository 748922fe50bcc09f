import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const project = join(import.meta.dirname, '../..')
const lines = readFileSync(join(project, 'packaging/container/Dockerfile'), 'utf8')
  .replace(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const all = (name: string) =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

test('the container recipe has only valid instructions and ends with a program instead of a shell', () => {
  const known = 'FROM ARG ENV WORKDIR COPY RUN LABEL VOLUME EXPOSE HEALTHCHECK ENTRYPOINT'.split(' ')
  expect(lines.map((line) => line.split(' ')[0] ?? '').filter((name) => !known.includes(name))).toEqual([])
  expect(all('ENTRYPOINT')).toEqual(['["filestead"]'])
})

test('the container recipe starts from versioned images and copies existing files', () => {
  for (const image of all('FROM')) expect(image).toMatch(/^\S+:[\w.-]+( AS \w+)?$/)
  expect(all('FROM').join()).not.toContain(':latest')
  const copied = all('COPY').filter((line) => !line.startsWith('--from') && !line.startsWith('. '))
  expect(copied.length).toBeGreaterThan(0)
  for (const line of copied) expect(existsSync(join(project, line.split(' ')[0] ?? ''))).toBe(true)
})

test('the container recipe keeps the paths of File Browser', () => {
  expect(all('EXPOSE')).toEqual(['80'])
  expect(JSON.parse(all('VOLUME')[0] ?? '')).toEqual(['/srv', '/database', '/config'])
  expect(all('HEALTHCHECK')[0]).toContain('CMD ["filestead", "health"]')
  for (const name of ['/usr/bin/filebrowser', '/filebrowser', '/healthcheck.sh'])
    expect(all('RUN').join().split(/[ ;]/)).toContain(name)
})

test('the compose file has a read-only system, drops capabilities and is not root', () => {
  const { services } = Bun.YAML.parse(readFileSync(join(project, 'packaging/container/compose.yaml'), 'utf8')) as {
    services: { filestead: Record<string, unknown> }
  }
  expect(services.filestead).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  expect(services.filestead.environment).toMatchObject({ PUID: expect.anything() })
  const { context, dockerfile } = services.filestead.build as Record<string, string>
  expect(existsSync(join(project, 'packaging/container', context ?? '', dockerfile ?? ''))).toBe(true)
  const mounted = (services.filestead.volumes as string[]).map((volume) => volume.split(':')[1])
  expect(mounted).toEqual(['/srv', '/database', '/config'])
})
