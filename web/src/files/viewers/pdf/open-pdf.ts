import * as pdfjs from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { startSettings } from '../../../server/start-settings.ts'

/** Nothing in a document runs here: scripts belong to another part of the library, which is not shipped. */
export function openPdf(src: string) {
  pdfjs.GlobalWorkerOptions.workerSrc = workerUrl
  // Fonts and character maps for documents that come without them, put there by the build.
  const data = `${startSettings.StaticURL}/assets/pdf-${pdfjs.version}`
  return pdfjs.getDocument({
    url: src,
    isEvalSupported: false,
    enableXfa: false,
    // Pages are fetched when they come near.
    disableAutoFetch: true,
    // The shipped fonts have the widths that the document expects.
    useSystemFonts: false,
    cMapUrl: `${data}/cmaps/`,
    standardFontDataUrl: `${data}/standard_fonts/`,
    wasmUrl: `${data}/wasm/`,
  })
}

export const TextLayer = pdfjs.TextLayer

export type Pdf = Awaited<ReturnType<typeof openPdf>['promise']>
