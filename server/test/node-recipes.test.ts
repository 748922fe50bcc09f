import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServerOptions } from '../src/config/options.ts'
import { isPostgres } from '../src/database/address.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { nginx, startProxy } from './nginx.ts'
import { untilHealthy } from './process.ts'

const folder = join(import.meta.dirname, '../../packaging/nodes')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Names of our variables that no option has. */
function unknownVariables(names: readonly string[]): string[] {
  const options = ['database', ...Object.keys(ServerOptions.shape)]
  const known = new Set(options.map((name) => `FILESTEAD_${name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}`))
  return names.filter((name) => name.startsWith('FILESTEAD_') && !known.has(name))
}

describe('two servers by compose', () => {
  interface Service {
    environment: Record<string, string>
    volumes: string[]
    depends_on: object
    build?: { context: string; dockerfile: string }
  }
  const compose = Bun.YAML.parse(textOf('compose.yaml')) as {
    services: Record<string, Service>
    volumes: Record<string, null>
  }
  const names = Object.keys(compose.services)
  const servers = names.filter((name) => name.startsWith('filestead-')).map((name) => compose.services[name])

  test('both are the same, but for what each keeps for itself', () => {
    const [first, second] = servers
    expect({ ...first, volumes: [] }).toEqual({ ...second, volumes: [] } as never)
    expect(first?.volumes).toEqual(['files:/srv', 'own-1:/database'])
    expect(second?.volumes).toEqual(['files:/srv', 'own-2:/database'])
    expect(first).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    const { context = '', dockerfile = '' } = first?.build ?? {}
    expect(existsSync(join(folder, context, dockerfile))).toBe(true)
  })

  test('they know their variables, the database by its name, and nothing else has its password', () => {
    const [environment = {}] = servers.map((service) => service?.environment)
    expect(unknownVariables(Object.keys(environment))).toEqual([])
    const address = environment.FILESTEAD_DATABASE ?? ''
    expect([isPostgres(address), new URL(address).password]).toEqual([true, ''])
    expect(names).toContain(new URL(address).hostname)
  })

  test('volumes are declared, and what waits for a service names one', () => {
    const used = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0] ?? ''))
    const declared = Object.keys(compose.volumes)
    expect(used.filter((name) => !name.startsWith('.') && !declared.includes(name))).toEqual([])
    const awaited = Object.values(compose.services).flatMap(({ depends_on: on = {} }) =>
      Array.isArray(on) ? on : Object.keys(on),
    )
    expect(awaited.filter((name) => !names.includes(name))).toEqual([])
  })

  test('nginx spreads requests over exactly these servers', () => {
    const upstream = [...textOf('nginx.conf').matchAll(/^ *server (\S+):80 /gm)].map(([, name]) => name)
    expect(upstream as string[]).toEqual(names.filter((name) => name.startsWith('filestead-')))
  })

  test.if(nginx !== null)('nginx takes its settings', () => {
    const at = scratchFolder('nginx-nodes')
    const block = textOf('nginx.conf')
      .replaceAll(/filestead-(\d):80/g, '127.0.0.1:1808$1')
      .replace('listen 80;', 'listen 127.0.0.1:18080;')
    writeFileSync(join(at, 'nginx.conf'), `pid ${at}/pid; events {} http { access_log off;\n${block}\n}`)
    const { exitCode, stderr } = Bun.spawnSync([
      nginx ?? '',
      '-t',
      '-p',
      at,
      '-c',
      join(at, 'nginx.conf'),
      '-e',
      join(at, 'log'),
    ])
    expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining('successful')])
  })

  test.if(nginx !== null)('a request that no server can answer does not make nginx leave them out', async () => {
    const serve = () =>
      Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: ({ url }) => new Response(null, { status: url.endsWith('/hanging') ? 503 : 200 }),
      })
    using first = serve()
    using second = serve()
    const front = await freePort()
    await using proxy = startProxy(scratchFolder('nginx-503'), front, [first.port ?? 0, second.port ?? 0])
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${front}${path}`)).status
    await untilHealthy(`http://127.0.0.1:${front}`, proxy)
    const statuses = []
    for (let round = 0; round < 3; round += 1) statuses.push(await status('/hanging'), await status('/'))
    expect(statuses).toEqual([503, 200, 503, 200, 503, 200])
    // One that is gone costs nothing either.
    await second.stop(true)
    expect([await status('/'), await status('/'), await status('/')]).toEqual([200, 200, 200])
  })
})

describe('three servers on Kubernetes', () => {
  interface Manifest {
    Secret: { stringData: Record<string, string> }
    PersistentVolumeClaim: { metadata: { name: string }; spec: { accessModes: string[] } }
    Deployment: { spec: { replicas: number; template: { metadata: { labels: object }; spec: Pod } } }
    PodDisruptionBudget: { spec: { minAvailable: number; selector: { matchLabels: object } } }
    Service: { metadata: { name: string }; spec: { selector: object } }
    Ingress: { spec: { rules: { http: { paths: { backend: { service: { name: string } } }[] } }[] } }
  }
  interface Pod {
    containers: {
      env: { name: string; value: string }[]
      ports: { name: string; containerPort: number }[]
      readinessProbe: { httpGet: { path: string; port: string } }
      volumeMounts: { name: string; mountPath: string }[]
      securityContext: object
    }[]
    volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[]
  }
  const documents = textOf('kubernetes.yaml')
    .split(/^---$/m)
    .map((text) => Bun.YAML.parse(text) as { kind: string })
  const manifest = Object.fromEntries(documents.map((document) => [document.kind, document])) as unknown as Manifest
  const { replicas, template } = manifest.Deployment.spec
  const [container] = template.spec.containers

  test('one may be away, and requests go to those that are healthy', () => {
    expect([replicas, manifest.PodDisruptionBudget.spec.minAvailable]).toEqual([3, 2])
    const port = container?.ports.find(({ name }) => name === 'http')?.containerPort
    expect(container?.readinessProbe.httpGet).toEqual({ path: '/health', port: 'http' })
    expect(container?.env.find(({ name }) => name === 'FILESTEAD_PORT')?.value).toBe(String(port))
  })

  test('all selectors mean these servers', () => {
    const { labels } = template.metadata
    expect(manifest.PodDisruptionBudget.spec.selector.matchLabels).toEqual(labels)
    expect(manifest.Service.spec.selector).toEqual(labels)
    const [rule] = manifest.Ingress.spec.rules
    expect(rule?.http.paths[0]?.backend.service.name).toBe(manifest.Service.metadata.name)
  })

  test('the files are one volume for all, and everything else is its own', () => {
    const { metadata, spec } = manifest.PersistentVolumeClaim
    expect(spec.accessModes).toEqual(['ReadWriteMany'])
    expect(container?.volumeMounts).toEqual([
      { name: 'files', mountPath: '/srv' },
      { name: 'own', mountPath: '/database' },
    ])
    const [files, own] = template.spec.volumes
    expect([files?.persistentVolumeClaim?.claimName, own?.name]).toEqual([metadata.name, 'own'])
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  })

  test('variables are known, and the password is in the secret and not in the address', () => {
    const { stringData } = manifest.Secret
    const names = [...Object.keys(stringData), ...(container?.env ?? []).map(({ name }) => name)]
    expect(unknownVariables(names)).toEqual([])
    const address = stringData.FILESTEAD_DATABASE ?? ''
    expect([isPostgres(address), new URL(address).password, 'PGPASSWORD' in stringData]).toEqual([true, '', true])
  })
})

describe('the chart for Helm', () => {
  type Values = { readonly [name: string]: unknown }
  const valuesIn = (name: string) => Bun.YAML.parse(textOf(`helm/${name}`)) as Values
  const [usual, example] = [valuesIn('values.yaml'), valuesIn('values-example.yaml')]
  const templates = readdirSync(join(folder, 'helm/templates'))
  const variables = (values: Values) => Object.keys((values.env ?? {}) as Values)

  /** The value at a path such as database.address. */
  const valueAt = (values: Values, path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>(
        (value, name) => (typeof value === 'object' ? (value as Values | null)?.[name] : undefined),
        values,
      )

  /** Paths to all that is no object, but for what is passed on as it is. */
  const pathsIn = (values: Values, above = ''): string[] =>
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'object' &&
      value !== null &&
      !['imagePullSecrets', 'env', 'resources', 'annotations'].includes(name)
        ? pathsIn(value as Values, `${above}${name}.`)
        : [above + name],
    )

  test('templates use exactly the values that there are, and the example sets no other', () => {
    const texts = templates.map((name) => textOf(`helm/templates/${name}`)).join('\n')
    const used = new Set([...texts.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))
    expect([...used].toSorted()).toEqual(pathsIn(usual).toSorted())
    expect(pathsIn(example).filter((path) => valueAt(usual, path) === undefined)).toEqual([])
  })

  test('its variables are known, and the address of the example has no password', () => {
    const own = [...textOf('helm/templates/deployment.yaml').matchAll(/name: (FILESTEAD_\w+)/g)].map(
      ([, name = '']) => name,
    )
    expect(own.length).toBeGreaterThan(4)
    expect(unknownVariables([...own, ...variables(usual), ...variables(example)])).toEqual([])
    const address = String(valueAt(example, 'database.address'))
    expect([isPostgres(address), new URL(address).password]).toEqual([true, ''])
  })

  const helm = Bun.which('helm')
  const without = helm === null ? ' (skipped, because there is no helm)' : ''
  const chart = join(folder, 'helm')
  const runHelm = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([helm ?? '', ...args])
    return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
  }
  const filled = ['-f', join(chart, 'values-example.yaml')]

  test.if(helm !== null)(`helm finds nothing wrong with it, and refuses what lacks a value${without}`, () => {
    expect(runHelm('lint', '--strict', chart, ...filled)).toMatchObject({ exitCode: 0 })
    for (const path of ['image.tag', 'database.address', 'secretName', 'ingress.host']) {
      const { exitCode, stderr } = runHelm('template', 'files', chart, ...filled, '--set', `${path}=`)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Set ${path}`)])
    }
  })

  test.if(helm !== null)(`it makes what the manifest for Kubernetes has${without}`, () => {
    const kindsIn = (text: string) => [...text.matchAll(/^kind: (\w+)/gm)].map(([, kind = '']) => kind).toSorted()
    const { stdout } = runHelm('template', 'files', chart, ...filled)
    // The secret is made by hand, so that no password is in a file of values.
    expect([...kindsIn(stdout), 'Secret'].toSorted()).toEqual(kindsIn(textOf('kubernetes.yaml')))
    const deployment = stdout.split(/^---$/m).find((text) => text.includes('kind: Deployment')) ?? ''
    const { spec } = Bun.YAML.parse(deployment) as {
      spec: { replicas: number; template: { spec: { containers: { image: string; env: { name: string }[] }[] } } }
    }
    const [container] = spec.template.spec.containers
    expect([spec.replicas, container?.image]).toEqual([3, expect.stringMatching(/:\d+\.\d+\.\d+$/)])
    expect(unknownVariables((container?.env ?? []).map(({ name }) => name))).toEqual([])
    const claimed = runHelm('template', 'files', chart, ...filled, '--set', 'files.existingClaim=mine').stdout
    expect([kindsIn(claimed).includes('PersistentVolumeClaim'), claimed.includes('claimName: mine')]).toEqual([
      false,
      true,
    ])
  })
})
