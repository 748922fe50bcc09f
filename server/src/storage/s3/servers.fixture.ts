import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Place } from './client.ts'
import { S3Server } from './s3-server.fixture.ts'
import type { S3Keys } from './signing.ts'

export interface TestServer {
  readonly name: string
  readonly place: S3Place
  readonly keys: S3Keys
  stop(): void
}

/** One that comes with the tests, and versitygw where it is found: the run says which. */
export async function testServers(): Promise<readonly TestServer[]> {
  const own = await fixtureServer()
  const gateway = await versitygw()
  process.stderr.write(`S3 servers in this run: ${[own, gateway].flatMap((server) => server?.name ?? []).join(', ')}\n`)
  if (gateway === undefined) process.stderr.write(`  no versitygw: put it on the PATH, or make it by ${buildLine}\n`)
  return gateway === undefined ? [own] : [own, gateway]
}

const buildLine = 'GOBIN=~/.cache/filestead-tests go install github.com/versity/versitygw/cmd/versitygw@v1.8.0'

export async function fixtureServer(): Promise<TestServer & { server: S3Server }> {
  const server = new S3Server()
  const endpoint = await server.start()
  const place = { endpoint, bucket: server.bucket, prefix: '', region: server.region, isPathStyle: true }
  return { name: 'the fixture', place, keys: server.keys, server, stop: () => server.stop() }
}

export async function versitygw(): Promise<TestServer | undefined> {
  const places = [Bun.which('versitygw') ?? '', join(homedir(), '.cache/filestead-tests/versitygw')]
  const program = places.find((place) => place !== '' && existsSync(place))
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'filestead-s3-'))
  mkdirSync(join(folder, 'bucket'))
  const keys = { accessKeyId: 'gateway', secretAccessKey: 'a-secret-of-the-gateway' }
  const port = await freePort()
  const { accessKeyId, secretAccessKey } = keys
  const options = ['--access', accessKeyId, '--secret', secretAccessKey, '--port', `127.0.0.1:${port}`, '--quiet']
  const gateway = Bun.spawn([program, ...options, 'posix', folder], { stdout: 'ignore', stderr: 'ignore' })
  const endpoint = `http://127.0.0.1:${port}`
  while (
    gateway.exitCode === null &&
    !(await fetch(endpoint).then(
      () => true,
      () => false,
    ))
  )
    await Bun.sleep(20)
  const place = { endpoint, bucket: 'bucket', prefix: '', region: 'us-east-1', isPathStyle: true }
  return { name: 'versitygw', place, keys, stop: () => gateway.kill() }
}

async function freePort(): Promise<number> {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
