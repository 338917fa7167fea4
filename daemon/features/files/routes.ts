import { basename } from 'node:path'
import { agentFiles as agentFilesContract, files as filesContract } from '#contract/files'
import { feature, staged } from '#kernel/feature'
import { commits, download, filesOf, homeFiles, save, saved } from './service.ts'

export const files = feature(filesContract, (app) => ({
  list: (call) => filesOf(app, call),
  download: async (call) => {
    const { content, etag } = await download(app, call)
    const name = basename(call.query.path)
    const plain = name.replace(/[^\w.-]/g, '_')
    call.web.reply
      .type('application/octet-stream')
      .header('etag', etag)
      .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`)
    return content
  },
  save: staged(
    (call) => save(app, call),
    (call, done) => saved(app, call, done),
  ),
}))

export const agentFiles = feature(agentFilesContract, (app) => ({
  containerFiles: (call) => homeFiles(app, call),
  gitLog: (call) => commits(app, call),
}))
