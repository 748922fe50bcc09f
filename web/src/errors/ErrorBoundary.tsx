import { Component, type ReactNode, useEffect, useState } from 'react'
import { isMissingPart } from '../dialogs/show-failure.ts'
import { isReachable, useWhenReachable } from '../server/connection.ts'

export interface Failure {
  /** 0: a part of the program could not be loaded; 500: the view threw an error. */
  status: 0 | 500
  /** Renders the view again. */
  retry(): void
}

interface ErrorBoundaryProps {
  /** What is in view: another value renders the children again. */
  of?: string
  fallback: (failure: Failure) => ReactNode
  /** Called instead of `retry` when the connection is back. */
  onReachable?: () => void
  children: ReactNode
}

interface ErrorBoundaryState {
  status: 0 | 500 | null
  of: string | undefined
}

/** Replaces a view that throws, so that everything around it goes on. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { status: null, of: this.props.of }

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { status: isMissingPart(error) ? 0 : 500 }
  }

  static getDerivedStateFromProps({ of }: ErrorBoundaryProps, state: ErrorBoundaryState): ErrorBoundaryState | null {
    return state.of === of ? null : { status: null, of }
  }

  #hasRetriedLoading = false

  readonly #render = () => {
    this.setState({ status: null })
  }

  /** A part that cannot be loaded at a second press either is gone with an update: only the page as a whole helps. */
  readonly #retry = () => {
    const isMissing = this.state.status === 0
    if (isMissing && this.#hasRetriedLoading) return window.location.reload()
    this.#hasRetriedLoading = isMissing
    this.#render()
  }

  override render() {
    const { status } = this.state
    if (status === null) return this.props.children
    return (
      <>
        {status === 0 && <WhenReachable onReachable={this.props.onReachable ?? this.#render} />}
        {this.props.fallback({ status, retry: this.#retry })}
      </>
    )
  }
}

/** Only where the connection is to blame: a part that is missing on the server would be asked for without end. */
export function WhenReachable({ onReachable }: { onReachable: () => void }) {
  const [isDown, setIsDown] = useState(false)
  useEffect(() => void isReachable().then((isThere) => setIsDown(!isThere)), [])
  useWhenReachable(isDown, onReachable)
  return null
}
