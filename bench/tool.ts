/** Runs a program of the system, its output drained from a pipe; resolves with the milliseconds it took. */
export async function runTool(argv: string[]): Promise<number> {
  const started = performance.now()
  const child = Bun.spawn(argv, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  const output = child.stdout.getReader()
  while (!(await output.read()).done);
  const code = await child.exited
  const taken = performance.now() - started
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}`)
  return taken
}

/** Runs a program for what it says, not for its speed. */
export async function readTool(argv: string[]): Promise<string> {
  const child = Bun.spawn(argv, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}\n${complaint}`.trim())
  return output
}
