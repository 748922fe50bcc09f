import type { ComponentProps } from 'react'

/** Markdown as `markdown.ts` has rendered it. */
export const MarkdownArticle = ({ html, ...attributes }: ComponentProps<'article'> & { html: string }) => (
  <article
    {...attributes}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard, too
    tabIndex={0}
    dir="auto"
    // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer sanitises it
    dangerouslySetInnerHTML={{ __html: html }}
  />
)
