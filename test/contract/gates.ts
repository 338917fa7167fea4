/** What guards one operation. */
export interface Gate {
  name: string
  /** The weakest role, or `public`, `signed-in`, `internal`. */
  access: string
  scope: string | null
  bucket: string
  /** In a browser, the second factor is asked for again. */
  secondFactor: boolean
  /** A role in the crew counts as well. */
  crewRole: boolean
  /** A capability that stands in for the role. */
  capability: string | null
  /** Open to a session that has yet to show its second factor. */
  unproven: boolean
}

/**
 * Who may do what, written by hand from the specification and never derived from the contract: operation, weakest role,
 * scope of a narrowed token, rate bucket, and what else. An operation without a row fails the tests.
 */
const table = `
accounts.create            public    -                 auth
accounts.forgot            public    -                 auth
accounts.reset             public    -                 auth

adapters.list              VIEWER    -                 api
agents.list                VIEWER    -                 api
agents.status              VIEWER    -                 api
agents.load                VIEWER    -                 api
agents.create              MANAGER   agents:write      api  crew-role
agents.show                VIEWER    -                 api  crew-role
agents.update              MANAGER   agents:write      api  crew-role
agents.remove              MANAGER   agents:write      api  crew-role
agents.stop                MANAGER   agents:write      api  crew-role
agents.logs                VIEWER    -                 api
agents.containerFiles      VIEWER    -                 api
agents.gitLog              VIEWER    -                 api
agents.avatar              VIEWER    -                 api
agents.setAvatar           MANAGER   agents:write      api  crew-role
agents.removeAvatar        MANAGER   agents:write      api  crew-role
agents.askPreview          VIEWER    agents:write      api
agents.rotateWebhookSecret MANAGER   agents:write      api  crew-role
agents.trigger             public    -                 api
agents.connectedCrews      internal  -                 api
agents.proposeConnection   internal  -                 api
agents.propose             internal  -                 api
agents.hire                MANAGER   agents:write      api  crew-role
agents.rehire              MANAGER   agents:write      api  crew-role
agents.approveHire         MANAGER   agents:write      api  crew-role
agents.spawn               internal  -                 api
agents.learning            VIEWER    -                 api
agents.setLearning         ADMIN     agents:write      api  crew-role
agents.inbox               VIEWER    -                 api
agents.debug               ADMIN     -                 api
agents.peers               VIEWER    -                 api
agents.peer                VIEWER    -                 api
agents.removePeer          VIEWER    agents:write      api  crew-role

approvals.list             VIEWER    -                 api
approvals.show             VIEWER    -                 api
approvals.decide           ADMIN     workspace:admin   api
approvals.cancel           ADMIN     workspace:admin   api

asks.park                  internal  -                 api

assignments.list           VIEWER    -                 api
assignments.show           VIEWER    -                 api
assignments.cancel         MANAGER   agents:write      api  crew-role
assignments.create         internal  -                 api
assignments.results        internal  -                 api

attachments.list           VIEWER    -                 api
attachments.create         MANAGER   agents:write      api  crew-role
attachments.remove         MANAGER   agents:write      api  crew-role

backup.create              signed-in workspace:admin   api  second-factor
backup.list                signed-in -                 api
backup.status              signed-in -                 api
backup.inspect             signed-in -                 api
backup.verify              signed-in -                 api
backup.rotate              signed-in workspace:admin   api
backup.remove              signed-in workspace:admin   api

automations.list           VIEWER    -                 api
automations.create         ADMIN     workspace:admin   api
automations.update         ADMIN     workspace:admin   api
automations.remove         ADMIN     workspace:admin   api
automations.preview        MANAGER   workspace:admin   api

blame.show                MANAGER   -                 api
bootstrap.create           public    -                 auth

channels.list              VIEWER    -                 api
channels.create            VIEWER    workspace:admin   api
channels.update            VIEWER    workspace:admin   api
channels.remove            VIEWER    workspace:admin   api
channels.test              VIEWER    workspace:admin   api
channels.testDraft         VIEWER    workspace:admin   api
channels.agents            VIEWER    -                 api
channels.allow             VIEWER    workspace:admin   api
channels.deny              VIEWER    workspace:admin   api
channels.ofAgent           VIEWER    -                 api
channels.providers         VIEWER    -                 api
channels.setProvider       ADMIN     workspace:admin   api

chats.list                 VIEWER    -                 api
chats.create               VIEWER    agents:write      api
chats.rename               VIEWER    agents:write      api  crew-role
chats.read                 VIEWER    agents:write      api
chats.remove               VIEWER    agents:write      api  crew-role
chats.messages             signed-in -                 api
chats.send                 signed-in agents:write      api
chats.steer                signed-in agents:write      api
chats.cancel               signed-in agents:write      api
chats.stream               signed-in -                 api
chats.reactions            signed-in -                 api
chats.react                signed-in agents:write      api
chats.unreact              signed-in agents:write      api
chats.participants         signed-in -                 api
chats.invite               signed-in agents:write      api
chats.uninvite             signed-in agents:write      api
chats.search               VIEWER    agents:write      api

checkpoints.list           VIEWER    -                 api
checkpoints.create         MANAGER   crews:write       api
checkpoints.show           VIEWER    -                 api
checkpoints.restore        MANAGER   crews:write       api
checkpoints.fork           MANAGER   crews:write       api
checkpoints.forkMission    MANAGER   crews:write       api
checkpoints.files          VIEWER    -                 api
checkpoints.diff           MANAGER   -                 api
checkpoints.rewind         MANAGER   crews:write       api
checkpoints.remove         MANAGER   crews:write       api

collisions.list            VIEWER    -                 api
collisions.watch           VIEWER    -                 api

consolidate.run            ADMIN     agents:write      api
consolidate.proposals      MEMBER    -                 api
consolidate.diff           MEMBER    -                 api
consolidate.explain        MEMBER    -                 api
consolidate.approve        ADMIN     agents:write      api
consolidate.reject         ADMIN     agents:write      api

credentials.list           VIEWER    -                 api
credentials.create         MANAGER   credentials:write api  second-factor or:credential.create
credentials.show           VIEWER    -                 api
credentials.update         MANAGER   credentials:write api  second-factor
credentials.replace        MANAGER   credentials:write api  second-factor
credentials.remove         ADMIN     credentials:write api  second-factor
credentials.check          MANAGER   credentials:write api
credentials.test           MANAGER   credentials:write api
credentials.rotate         ADMIN     credentials:write api  second-factor or:credential.rotate
credentials.rotations      MANAGER   -                 api  or:credential.rotate
credentials.cancel         ADMIN     credentials:write api  second-factor or:credential.rotate
credentials.audit          MANAGER   -                 api
credentials.scopes         MANAGER   -                 api
credentials.enforceScopes  ADMIN     credentials:write api  second-factor
credentials.endScopes      ADMIN     credentials:write api  second-factor
credentials.decideUse      ADMIN     credentials:write api
credentials.variable       signed-in -                 api
credentials.assigned       VIEWER    -                 api
credentials.assign         ADMIN     credentials:write api  second-factor
credentials.unassign       ADMIN     credentials:write api  second-factor

crews.list                 VIEWER    -                 api
crews.create               MANAGER   crews:write       api
crews.show                 VIEWER    -                 api
crews.update               ADMIN     crews:write       api  crew-role
crews.replace              ADMIN     crews:write       api  crew-role
crews.remove               ADMIN     crews:write       api  crew-role
crews.start                MANAGER   crews:write       api  crew-role
crews.stop                 MANAGER   crews:write       api  crew-role
crews.status               VIEWER    -                 api
crews.logs                 MANAGER   -                 api  crew-role
crews.members              VIEWER    -                 api
crews.addMember            MANAGER   crews:write       api  crew-role
crews.setMember            ADMIN     crews:write       api  crew-role
crews.removeMember         ADMIN     crews:write       api  crew-role
crews.peerConversations    VIEWER    -                 api
crews.standup              VIEWER    -                 api
crews.messages             VIEWER    -                 api
crews.connections          MANAGER   -                 api
crews.connect              MANAGER   crews:write       api
crews.disconnect           MANAGER   crews:write       api

decisions.show             VIEWER    -                 api
deliveries.list            ADMIN     -                 api
deliveries.why             VIEWER    -                 api

escalations.list           VIEWER    -                 api
escalations.pending        VIEWER    -                 api
escalations.show           VIEWER    -                 api
escalations.resolve        MANAGER   crews:write       api  crew-role
escalations.cancel         MANAGER   crews:write       api  crew-role
escalations.sweep          ADMIN     workspace:admin   api
escalations.purge          ADMIN     workspace:admin   api  crew-role
escalations.create         internal  -                 api
escalations.wait           internal  -                 api

files.list                 VIEWER    -                 api
files.download             VIEWER    -                 api
files.save                 MANAGER   agents:write      api  crew-role

idp.status                 public    -                 auth
idp.redirect               public    -                 auth
idp.callback               public    -                 auth
idp.links                  signed-in -                 api
idp.unlink                 signed-in -                 api  second-factor

inbox.list                 VIEWER    -                 api
inbox.count                VIEWER    -                 api
inbox.show                 VIEWER    -                 api
inbox.update               VIEWER    workspace:admin   api
inbox.bulk                 VIEWER    workspace:admin   api
inbox.purge                ADMIN     workspace:admin   api
inbox.act                  MEMBER    agents:write      api

oauth.providers            signed-in -                 api
oauth.client               public    -                 api
oauth.initiate             MANAGER   credentials:write api  or:credential.create
oauth.callback             public    -                 auth
oauth.exchange             MANAGER   credentials:write api  or:credential.create
oauth.loopback             MANAGER   credentials:write api  or:credential.create
oauth.discover             signed-in -                 api
oauth.autoConnect          ADMIN     workspace:admin   api
integrations.list          VIEWER    -                 api
integrations.show          VIEWER    -                 api
integrations.create        ADMIN     workspace:admin   api
integrations.update        ADMIN     workspace:admin   api
integrations.remove        ADMIN     workspace:admin   api
integrations.test          MANAGER   workspace:admin   api
integrations.testInCrew    MANAGER   crews:write       api  crew-role
integrations.crews         VIEWER    -                 api
integrations.ofCrew        VIEWER    -                 api
integrations.createInCrew  MANAGER   crews:write       api  crew-role
integrations.updateInCrew  ADMIN     crews:write       api  crew-role
integrations.removeInCrew  ADMIN     crews:write       api  crew-role
integrations.bound         VIEWER    -                 api
integrations.bind          MANAGER   agents:write      api  crew-role
integrations.rebind        MANAGER   agents:write      api  crew-role
integrations.unbind        MANAGER   agents:write      api  crew-role
integrations.resolved      VIEWER    -                 api
integrations.tools           VIEWER    -                 api
integrations.toolsInCrew     VIEWER    -                 api
integrations.setTool         ADMIN     workspace:admin   api
integrations.setToolInCrew   ADMIN     crews:write       api  crew-role
integrations.refreshTools    ADMIN     workspace:admin   api
integrations.refreshToolsInCrew  ADMIN     crews:write       api  crew-role
integrations.decideTools     ADMIN     workspace:admin   api
integrations.decideToolsInCrew   MANAGER   crews:write       api  crew-role

managed.inventory            VIEWER    -                 api
managed.toolkits             VIEWER    -                 api
managed.tools                VIEWER    -                 api
managed.triggers             VIEWER    -                 api
managed.activeTriggers       VIEWER    -                 api
managed.settings             VIEWER    -                 api
managed.default              VIEWER    -                 api
managed.grants               VIEWER    -                 api
managed.createTrigger        ADMIN     workspace:admin   api
managed.connect              ADMIN     workspace:admin   api
managed.setSettings          ADMIN     workspace:admin   api
managed.removeSettings       ADMIN     workspace:admin   api
managed.setDefault           ADMIN     workspace:admin   api
managed.grant                ADMIN     workspace:admin   api
managed.ungrant              ADMIN     workspace:admin   api
managed.revokeAccount        ADMIN     workspace:admin   api
managed.refreshAccount       ADMIN     workspace:admin   api
managed.removeAccount        ADMIN     workspace:admin   api

mcp.call             signed-in -                 api

registry.list           signed-in -                 api
registry.search         signed-in -                 api
registry.sync           ADMIN     workspace:admin   api

invitations.list           ADMIN     -                 api
invitations.create         ADMIN     workspace:admin   api
invitations.revoke         ADMIN     workspace:admin   api
invitations.mine           signed-in -                 api
invitations.redeem         signed-in -                 auth
invitations.accept         signed-in -                 api
invitations.decline        signed-in -                 api

issues.list                VIEWER    -                 api
issues.find                VIEWER    -                 api
issues.ofCrew              VIEWER    -                 api
issues.show                VIEWER    -                 api
issues.create              MANAGER   crews:write       api  crew-role or:issue.create
issues.update              MANAGER   crews:write       api  crew-role
issues.remove              MANAGER   crews:write       api  crew-role
issues.bulk                MANAGER   crews:write       api
issues.review              MANAGER   crews:write       api  crew-role
issues.start               MANAGER   crews:write       api  crew-role
issues.stop                MANAGER   crews:write       api  crew-role
issues.runs                VIEWER    -                 api
issues.subtasks            VIEWER    -                 api
issues.activity            VIEWER    -                 api
issues.comments            VIEWER    -                 api
issues.comment             MEMBER    crews:write       api  crew-role
issues.relations           VIEWER    -                 api
issues.relate              MANAGER   crews:write       api  crew-role
issues.unrelate            MANAGER   crews:write       api

journal.anchor             ADMIN     -                 api
journal.list               VIEWER    -                 api
journal.count              VIEWER    -                 api
journal.lookup             VIEWER    -                 api
journal.types              VIEWER    -                 api
journal.stream             VIEWER    -                 api
journal.verification       ADMIN     -                 api
journal.verify             ADMIN     -                 api
journal.compaction         VIEWER    -                 api
journal.compact            ADMIN     workspace:admin   api
journal.erase              ADMIN     workspace:admin   api  second-factor
journal.erasures           ADMIN     -                 api
journal.show               VIEWER    -                 api
journal.priority           ADMIN     workspace:admin   api

labels.list                VIEWER    -                 api
labels.create              MANAGER   crews:write       api
labels.update              ADMIN     crews:write       api
labels.remove              ADMIN     crews:write       api

limits.list                signed-in -                 api
limits.set                 signed-in workspace:admin   api
limits.reset               signed-in workspace:admin   api

manifests.apply            MANAGER   crews:write       api  second-factor
manifests.export           MANAGER   -                 api
manifests.schema           signed-in -                 api
members.list               VIEWER    -                 api
audit.list                 ADMIN     -                 api

admin.stats                OWNER     -                 api
admin.users                OWNER     -                 api
admin.workspaces           OWNER     -                 api
admin.exportData           ADMIN     -                 api  second-factor
admin.purgeData            ADMIN     workspace:admin   api  second-factor
members.add                ADMIN     workspace:admin   api
members.provision          ADMIN     workspace:admin   api
members.update             MANAGER   workspace:admin   api
members.transfer           OWNER     workspace:admin   api  second-factor
members.remove             VIEWER    workspace:admin   api
members.capabilities       ADMIN     -                 api
members.showCapabilities   ADMIN     -                 api
members.setCapabilities    ADMIN     workspace:admin   api

milestones.list            VIEWER    -                 api
milestones.create          MANAGER   crews:write       api
milestones.update          MANAGER   crews:write       api
milestones.remove          ADMIN     crews:write       api

missions.list              VIEWER    -                 api
missions.ofCrew            VIEWER    -                 api
missions.show              VIEWER    -                 api
missions.metrics           VIEWER    -                 api
missions.create            MANAGER   crews:write       api  crew-role
missions.propose           internal  -                 api
missions.update            MANAGER   crews:write       api  crew-role
missions.remove            MANAGER   crews:write       api  crew-role
missions.start             MANAGER   crews:write       api  crew-role
missions.restart           MANAGER   crews:write       api  crew-role
missions.resume            MANAGER   crews:write       api  crew-role
missions.clone             MANAGER   crews:write       api  crew-role
missions.plan              MANAGER   crews:write       api  crew-role
missions.addTask           MANAGER   crews:write       api  crew-role
missions.updateTask        MANAGER   crews:write       api  crew-role
missions.removeTask        MANAGER   crews:write       api  crew-role

models.list                VIEWER    -                 api
notes.take                 internal  -                 api
notes.acknowledge          internal  -                 api
notifications.list         signed-in -                 api
notifications.count        signed-in -                 api
notifications.read         signed-in -                 api
notifications.readAll      signed-in -                 api
notifications.remove       signed-in -                 api

onboarding.status          signed-in -                 api
onboarding.complete        signed-in -                 api
onboarding.setup           signed-in *                 api  second-factor

pages.home                 public    -                 none
pages.login                public    -                 none
pages.loginCli             public    -                 none
pages.resetPassword        public    -                 none
pages.invitation           public    -                 none
pages.decide               public    -                 none
pages.asset                public    -                 none

pairing.start              signed-in -                 auth second-factor
pairing.poll               signed-in -                 api
pairing.redeem             public    -                 auth

peers.query                internal  -                 api
peers.wait                 internal  -                 api
peers.standup              internal  -                 api
deliveries.openTo          internal  -                 api
deliveries.mine            internal  -                 api
deliveries.send            internal  -                 api
peers.sendMessage          internal  -                 api
peers.readMessages         internal  -                 api

memory.list                VIEWER    -                 api
memory.show                VIEWER    -                 api
memory.write               VIEWER    agents:write      api
memory.append              VIEWER    agents:write      api
memory.remove              VIEWER    agents:write      api
memory.rules               MEMBER    -                 api
memory.versions            VIEWER    -                 api
memory.version             VIEWER    -                 api
memory.restore             ADMIN     agents:write      api
memory.diff                VIEWER    -                 api
memory.search              VIEWER    agents:write      api
memory.export              ADMIN     -                 api
memory.import              ADMIN     agents:write      api
memory.health              VIEWER    -                 api
memory.context             VIEWER    -                 api
memory.readMemory          internal  -                 api
memory.writeMemory         internal  -                 api
memory.appendMemory        internal  -                 api
memory.searchMemory        internal  -                 api
memory.searchConversations internal  -                 api
memory.stats               ADMIN     -                 api
memory.history             ADMIN     -                 api
memory.content             ADMIN     -                 api
memory.config              ADMIN     -                 api
keeper.requests            ADMIN     -                 api
keeper.show                ADMIN     -                 api
keeper.history             ADMIN     -                 api
keeper.resolve             ADMIN     workspace:admin   api  second-factor
keeper.clear               ADMIN     workspace:admin   api  second-factor
keeper.ask                 ADMIN     workspace:admin   api
keeper.health              ADMIN     -                 api
keeper.request             internal  -                 api
keeper.requested           internal  -                 api
keeper.execute             internal  -                 api
keeper.reviewSkill         internal  -                 api
keeper.behavior            internal  -                 api
keeper.memoryHealth        internal  -                 api
keeper.negativeLearning    internal  -                 api
keeper.evaluate            ADMIN     workspace:admin   api
keeper.config              ADMIN     -                 api
keeper.setConfig           ADMIN     workspace:admin   api  second-factor
keeper.resetConfig         ADMIN     workspace:admin   api  second-factor
keeper.models              ADMIN     -                 api
keeper.test                ADMIN     workspace:admin   api
keeper.testHosted          ADMIN     workspace:admin   api
keeper.aux                 ADMIN     -                 api
keeper.setAux              ADMIN     workspace:admin   api  second-factor
keeper.resetAux            ADMIN     workspace:admin   api  second-factor
keeper.resetSlot           ADMIN     workspace:admin   api  second-factor
keeper.useJudge            ADMIN     workspace:admin   api  second-factor
keeper.probe               ADMIN     workspace:admin   api
keeper.governance          ADMIN     -                 api
keeper.setGovernance       ADMIN     workspace:admin   api  second-factor
memory.setConfig           ADMIN     workspace:admin   api

persona.show               VIEWER    -                 api
persona.set                MANAGER   agents:write      api  crew-role
persona.reset              MANAGER   agents:write      api  crew-role
persona.history            VIEWER    -                 api
persona.suggest            MANAGER   agents:write      api  crew-role
persona.decide             MANAGER   agents:write      api
persona.showCrew           VIEWER    -                 api
persona.setCrew            MANAGER   crews:write       api  crew-role
persona.resetCrew          MANAGER   crews:write       api  crew-role
persona.crewHistory        VIEWER    -                 api
persona.propose            internal  -                 api

policies.list              VIEWER    -                 api
policies.show              VIEWER    -                 api
policies.set               MANAGER   crews:write       api  second-factor crew-role
policies.simulate          VIEWER    -                 api

ports.list                 VIEWER    -                 api
ports.revoke               MANAGER   crews:write       api  crew-role
ports.expose               internal  -                 api

preferences.list           signed-in -                 api
preferences.set            signed-in -                 api
preferences.notifications  VIEWER    -                 api
preferences.hours          signed-in -                 api
preferences.setHours       signed-in -                 api
preferences.setNotifications VIEWER  workspace:admin   api
preferences.remove         signed-in -                 api

projects.list              VIEWER    -                 api
projects.create            MANAGER   crews:write       api
projects.show              VIEWER    -                 api
projects.stats             VIEWER    -                 api
projects.update            MANAGER   crews:write       api
projects.remove            ADMIN     crews:write       api

recipes.list               signed-in -                 api
recipes.show               signed-in -                 api
recipes.preview            VIEWER    -                 api
recipes.install            ADMIN     crews:write       api  second-factor

rooms.list                 VIEWER    -                 api
rooms.create               VIEWER    agents:write      api
rooms.show                 VIEWER    -                 api
rooms.messages             VIEWER    -                 api
rooms.send                 VIEWER    agents:write      api
rooms.continue             VIEWER    agents:write      api
rooms.read                 VIEWER    agents:write      api

routines.schema            public    -                 api
routines.list              VIEWER    -                 api
routines.show              VIEWER    -                 api
routines.versions          VIEWER    -                 api
routines.version           VIEWER    -                 api
routines.diff              VIEWER    -                 api
routines.export            VIEWER    -                 api
routines.test              MANAGER   workspace:admin   api  or:routine.create
routines.save              MANAGER   workspace:admin   api  or:routine.create
routines.import            MANAGER   workspace:admin   api
routines.appearance        MANAGER   workspace:admin   api
routines.approve           MANAGER   workspace:admin   api
routines.reject            MANAGER   workspace:admin   api
routines.disable           ADMIN     workspace:admin   api
routines.enable            ADMIN     workspace:admin   api
routines.rollback          MANAGER   workspace:admin   api
routines.remove            ADMIN     workspace:admin   api
routines.run               MANAGER   workspace:admin   api  or:routine.run
routines.dryRun            MANAGER   workspace:admin   api  or:routine.run
routines.records           VIEWER    -                 api
routines.history           VIEWER    -                 api
routines.runs              VIEWER    -                 api
routines.active            VIEWER    -                 api
routines.result            VIEWER    -                 api
routines.tree              VIEWER    -                 api
routines.logs              VIEWER    -                 api
routines.cancel            ADMIN     workspace:admin   api
routines.replay            MANAGER   workspace:admin   api
routines.signal            MANAGER   workspace:admin   api
routines.broadcast         MANAGER   workspace:admin   api
routines.pending           VIEWER    -                 api
routines.cancelPending     MANAGER   workspace:admin   api

runs.list                  VIEWER    -                 api
runs.show                  VIEWER    -                 api
runs.ofAgent               VIEWER    -                 api
runs.cancel                VIEWER    agents:write      api
runs.logs                  VIEWER    -                 api
runs.tree                  VIEWER    -                 api
runs.receipt               VIEWER    -                 api
runs.receiptKeys           signed-in -                 api
runs.reportConfidence      internal  -                 api

webhooks.list              MANAGER   -                 api
webhooks.create            MANAGER   webhooks:write    api
webhooks.update            MANAGER   webhooks:write    api
webhooks.remove            MANAGER   webhooks:write    api
webhooks.fire              public    -                 api

schedules.list             VIEWER    -                 api
schedules.create           MANAGER   workspace:admin   api
schedules.update           ADMIN     workspace:admin   api
schedules.remove           ADMIN     workspace:admin   api
schedules.run              MANAGER   workspace:admin   api

sessions.csrf              public    -                 api
sessions.providers         public    -                 api
sessions.current           public    -                 api
sessions.create            public    -                 auth
sessions.refresh           public    -                 auth
sessions.signin            public    -                 api
sessions.signout           public    -                 auth
sessions.error             public    -                 api
sessions.list              signed-in -                 api
sessions.confirm           signed-in -                 auth unproven
sessions.revoke            signed-in -                 api

skills.list                VIEWER    -                 api
skills.show                VIEWER    -                 api
skills.import              MANAGER   skills:write      api  or:skill.create
skills.bulkImport          MANAGER   skills:write      api  or:skill.create
skills.generate            MANAGER   skills:write      api  or:skill.create
skills.author              internal  -                 api
skills.compose             internal  -                 api
skills.proposed            MANAGER   -                 api
skills.approve             MANAGER   skills:write      api
skills.reject              MANAGER   skills:write      api
skills.remove              ADMIN     skills:write      api
skills.assigned            VIEWER    -                 api
skills.assign              MANAGER   skills:write      api  crew-role
skills.unassign            MANAGER   skills:write      api  crew-role

sockets.token              signed-in -                 api

system.health              public    -                 none
system.alive               public    -                 none
system.ready               public    -                 none
system.metrics             public    -                 none
system.openapi             public    -                 api
system.setup               public    -                 api
system.version             signed-in -                 api
system.daemon              VIEWER    -                 api
system.runtime             signed-in -                 api
system.telemetry           public    -                 api
system.doctor              ADMIN     -                 api

templates.list             VIEWER    -                 api
templates.show             VIEWER    -                 api
templates.save             MANAGER   crews:write       api
templates.remove           MANAGER   crews:write       api
templates.deploy           MEMBER    crews:write       api
templates.suggest          MEMBER    crews:write       api
templates.notifications    ADMIN     -                 api
templates.setNotification  ADMIN     workspace:admin   api
templates.removeNotification ADMIN   workspace:admin   api

tokens.create              signed-in -                 auth second-factor
tokens.list                signed-in -                 api
tokens.validate            signed-in -                 api
tokens.rotate              signed-in -                 api  second-factor
tokens.uses                signed-in -                 api
tokens.revoke              signed-in -                 api

totp.show                  signed-in -                 api
totp.start                 signed-in -                 auth
totp.confirm               signed-in -                 auth
totp.renew                 signed-in -                 auth
totp.remove                signed-in -                 auth

metrics.timeseries         VIEWER    -                 api

plans.list                 VIEWER    -                 api
plans.show                 VIEWER    -                 api
plans.create               MANAGER   crews:write       api
plans.update               MANAGER   crews:write       api
plans.remove               MANAGER   crews:write       api

workflows.list             VIEWER    -                 api
workflows.show             VIEWER    -                 api
workflows.create           MANAGER   crews:write       api
workflows.update           MANAGER   crews:write       api
workflows.remove           MANAGER   crews:write       api

triage.list                VIEWER    -                 api
triage.create              MANAGER   crews:write       api
triage.update              MANAGER   crews:write       api
triage.remove              ADMIN     crews:write       api

tripwires.list             MANAGER   -                 api  crew-role
tripwires.show             MANAGER   -                 api  crew-role
tripwires.plant            MANAGER   crews:write       api  crew-role
tripwires.rearm            MANAGER   crews:write       api  crew-role
tripwires.remove           MANAGER   crews:write       api  crew-role
triage.process             MANAGER   crews:write       api

users.me                   signed-in -                 api
users.update               signed-in -                 api
users.password             signed-in -                 auth second-factor
users.setAvatar            signed-in -                 api
users.removeAvatar         signed-in -                 api
users.export               signed-in -                 auth second-factor
users.avatar               signed-in -                 api

waitpoints.list            VIEWER    -                 api
waitpoints.approve         MANAGER   workspace:admin   api
waitpoints.callback        public    -                 api

workspaces.list            signed-in -                 api
workspaces.create          signed-in workspace:admin   api
workspaces.show            VIEWER    -                 api
workspaces.update          ADMIN     workspace:admin   api  second-factor
workspaces.remove          OWNER     workspace:admin   api  second-factor
`

export const gates: readonly Gate[] = table
  .split('\n')
  .filter(Boolean)
  .map((row) => {
    const [name = '', access = '', scope = '', bucket = '', ...more] = row.split(/ +/)
    return {
      name,
      access,
      scope: scope === '-' ? null : scope,
      bucket,
      secondFactor: more.includes('second-factor'),
      crewRole: more.includes('crew-role'),
      capability: more.find((word) => word.startsWith('or:'))?.slice(3) ?? null,
      unproven: more.includes('unproven'),
    }
  })
