/**
 * Why others can be ahead in a work, as a report prints it where they are. A reason is about how the work is done, so
 * that it stays true from run to run; how much it is worth is measured.
 */
export const reasons: Readonly<Record<string, string>> = {
  memory:
    'The runtime, its compiler and the threads that touch the disk are resident; a server written in C or Rust has none of that.',
  'small-folder': 'Every request looks up its session and applies rules. nginx checks no account and reads in place.',
  'photo-folder':
    'Every request looks up its session and applies rules; nginx answers with four fields and without types.',
  'listing-10k':
    'Each entry becomes JSON with name, size, time, mode, kind and rights, after the rules of the account; the tool prints a line, nginx four fields.',
  'listing-100k':
    'Each entry becomes JSON with name, size, time, mode, kind and rights. Entries cross from a thread to the event loop, so that small requests are answered meanwhile.',
  'listing-100k-videos': 'Each entry becomes JSON as in any listing, and subtitles are looked for beside every video.',
  recursive:
    'Every folder is opened beneath the root without following links, and entries cross from threads to the event loop.',
  search: 'Names cross a thread, and rules are applied to every hit.',
  'thumbnails-cold':
    'Pictures are decoded in a confined process of their own; one that is broken or hostile cannot reach the server.',
  'thumbnails-warm':
    'The session, the rules and the version of the file are checked before the cached picture is sent.',
  download:
    'The path is opened beneath the root in a thread first; from then on the kernel sends the file in all of them.',
  'downloads-16':
    'Each of the sixteen requests looks up its session and has its path opened beneath the root in a thread.',
  checksum: 'The file is read by one thread in pieces, so that others can be answered.',
  copy: 'The copy is synced to the disk and renamed into place before the answer. The others answer when it is in the memory of the kernel.',
  'copy-5k':
    'Every file is opened beneath the root and checked against the rules, and all are safe on the disk before the answer. copyparty syncs nothing.',
  'upload-post':
    'The file is synced, renamed into place and its folder synced before the answer; dufs, copyparty and nginx answer when it is in the memory of the kernel, and a power cut loses it. The tool has no network between.',
  'upload-tus': 'Every part is a request of its own; the last one is answered when the whole file is safe on the disk.',
  'small-uploads':
    'Every file is safe on the disk before its answer, by two requests; the other servers take one and sync nothing, and the tool has no network between.',
  zip: 'Every file is opened beneath the root, checked against the rules and read by threads; the tool reads in place.',
  'tar-gz': 'The text is compressed at a level that makes it smaller than the fastest one would.',
}
