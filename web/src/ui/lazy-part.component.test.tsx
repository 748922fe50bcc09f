import { expect, spyOn, test } from 'bun:test'
import { act, fireEvent, render, screen } from '../component-dom.ts'
import '../i18n/i18n.ts'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { lazyPart } from './lazy-part.tsx'

const Greeting = ({ name }: { name: string }) => <p>Hello {name}</p>
const text = () => document.body.textContent

test('what is loaded before is there with the first render', async () => {
  const Part = lazyPart(async () => Greeting)
  await Part.load()
  render(<Part name="Ann" waiting="…" />)
  expect(text()).toBe('Hello Ann')
})

test('until the code is there something else is shown, and not for longer', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof Greeting>()
  const Part = lazyPart(() => promise)
  render(<Part name="Ann" waiting="…" />)
  expect(text()).toBe('…')
  await act(async () => resolve(Greeting))
  expect(text()).toBe('Hello Ann')
})

test('it is loaded once, wherever it is shown', async () => {
  let loads = 0
  const Part = lazyPart(async () => {
    loads++
    return Greeting
  })
  await act(async () => {
    render(
      <>
        <Part name="Ann" />
        <Part name="Bo" />
      </>,
    )
  })
  expect([text(), loads]).toEqual(['Hello AnnHello Bo', 1])
})

test('a failure reaches the error boundary, and its retry loads the part again', async () => {
  const log = spyOn(console, 'error').mockImplementation(() => {})
  let loads = 0
  const Part = lazyPart(async () => {
    if (++loads === 1) throw new TypeError('Failed to fetch dynamically imported module')
    return Greeting
  })
  await act(async () => {
    render(
      <ErrorBoundary
        fallback={({ retry }) => (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      >
        <Part name="Ann" />
      </ErrorBoundary>,
    )
  })
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Try again' })))
  expect([text(), loads]).toEqual(['Hello Ann', 2])
  log.mockRestore()
})
