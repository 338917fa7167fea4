import { pages } from '#contract/pages'
import { feature } from '#kernel/feature'
import { asset, page } from './service.ts'

export default feature(pages, () => ({
  home: ({ web }) => page(web, 'home'),
  login: ({ web }) => page(web, 'login'),
  loginCli: ({ web }) => page(web, 'login-cli'),
  resetPassword: ({ web }) => page(web, 'reset-password'),
  invitation: ({ web }) => page(web, 'invitation'),
  decide: ({ web }) => page(web, 'decide'),
  asset: ({ web, name }) => asset(web, name),
}))
