import { askForms } from '#contract/ask-forms'
import { feature } from '#kernel/feature'
import { previewForm } from './service.ts'

export default feature(askForms, (app) => ({ askPreview: (call) => previewForm(app, call) }))
