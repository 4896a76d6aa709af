/** A sheet with a tick: a document that was accepted. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4ed8"/>
<path d="M9 6h10l5 5v15H9z" fill="#fff"/><path d="M19 6v5h5" fill="#bfdbfe"/>
<path d="m12.5 18 3 3.2 5.5-6.2" fill="none" stroke="#1d4ed8" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`

/** Calmer than the page comes: without its makers' bar and the choice of one server, in one type and few colours. */
export const style = `
.swagger-ui, .swagger-ui.swagger-ui.swagger-ui.swagger-ui :is(h1, h2, h3, h4, h5, p, li, td, th, a, button, input, select, small, label, .title, .parameter__name) {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif
}
.swagger-ui .topbar, .swagger-ui .scheme-container .servers-title, .swagger-ui .scheme-container .servers { display: none }
.swagger-ui .wrapper { max-width: 1080px; padding: 0 24px }
.swagger-ui .info { margin: 40px 0 20px }
.swagger-ui .info .title { font-size: 30px }
.swagger-ui .info .title small { border-radius: 999px; padding: 3px 8px; top: -4px }
.swagger-ui .info p, .swagger-ui .info li { font-size: 15px; line-height: 1.6 }
.swagger-ui .info .description :is(p, img) { margin-left: 0; max-width: 740px }
.swagger-ui .info .description img { border: 1px solid #94a3b855; border-radius: 12px; display: block; height: auto; margin: 20px 0 4px; width: 100% }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { border-radius: 4px; font-weight: 600; padding: 2px 5px }
.swagger-ui .scheme-container { border-block: 1px solid #94a3b855; box-shadow: none; margin: 0 0 16px; padding: 12px 0 }
.swagger-ui .btn { border-radius: 8px; box-shadow: none }
.swagger-ui .opblock-tag { border-bottom: 1px solid #94a3b855; font-size: 20px; padding: 14px 4px }
.swagger-ui .opblock-tag small { font-size: 14px }
.swagger-ui .opblock { border-radius: 10px; box-shadow: none; margin: 0 0 8px }
.swagger-ui .opblock .opblock-summary-method { border-radius: 7px; font-size: 13px; min-width: 72px; padding: 5px 0 }
.swagger-ui .opblock .opblock-summary-path { font-size: 15px }
.swagger-ui .opblock .opblock-summary-description { font-size: 14px }
.swagger-ui .opblock .opblock-section-header { box-shadow: none }
.swagger-ui .opblock-body pre.microlight, .swagger-ui .highlight-code > .microlight { border-radius: 8px; font-size: 13px; line-height: 1.5; padding: 12px }
.swagger-ui .dialog-ux .modal-ux { border-radius: 12px }
.swagger-ui .auth-container input[type=text] { border-radius: 8px; min-width: min(520px, 100%) }
.swagger-ui section.models { border-radius: 10px }

/* The page has dark colours of its own, for readers whose system is dark. */
html:not(.dark-mode) body { background: #fff }
html:not(.dark-mode) .swagger-ui :is(h1, h2, h3, h4, h5, p, li, td, th, label, .title) { color: #0f172a }
html:not(.dark-mode) .swagger-ui .info .title small { background: #64748b }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #1d4ed8 }
html:not(.dark-mode) .swagger-ui :is(.markdown, .renderedMarkdown) code { background: #f1f5f9; color: #1e3a8a }
html:not(.dark-mode) .swagger-ui .scheme-container { background: #f8fafc }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1d4ed8; color: #1d4ed8 }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { color: #1d4ed8 }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1d4ed8; border-color: #1d4ed8; color: #fff }
html:not(.dark-mode) .swagger-ui .opblock-tag small { color: #475569 }
html:not(.dark-mode) .swagger-ui .opblock .opblock-summary-description { color: #475569 }
html:not(.dark-mode) .swagger-ui .dialog-ux .backdrop-ux { background: #0f172a99 }
`
