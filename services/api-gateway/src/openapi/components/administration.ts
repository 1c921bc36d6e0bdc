import type {
  ApiKeyView,
  AuditedFact,
  ChainHead,
  ChainHeads,
  OrganizationCounts,
  OrganizationView,
  SuppressedUsersView,
  WorkspaceView,
} from '@penstock/contracts';
import { SCOPES } from '../../auth/access';
import {
  ANY_OBJECT,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';

const ID = ref('Id');

const API_KEY = withExample(
  object<keyof ApiKeyView>({
    id: ID,
    name: TEXT,
    scope: oneOf(SCOPES),
    workspace: orNull(described(ID, 'Null: it is a key of the organization.')),
    hint: described(TEXT, 'Its first and its last four characters.'),
    expiresAt: orNull(described(TIME, 'Null: never.')),
  }),
  {
    id: EXAMPLE_ID,
    name: 'Reports',
    scope: 'read',
    workspace: EXAMPLE_ID,
    hint: 'pk_4…x0Zq',
    expiresAt: null,
  },
);

/** Members of a workspace in answers. */
export type WorkspaceMember = Exclude<keyof WorkspaceView, 'version'>;

const WORKSPACE = withExample(object<WorkspaceMember>({ id: ID, name: TEXT }), {
  id: EXAMPLE_ID,
  name: 'Main',
});

const COUNTS = object<keyof OrganizationCounts>({
  connectors: described(INTEGER, 'Number of different connectors that pipelines use.'),
  connections: INTEGER,
  pipelines: INTEGER,
  workspaces: INTEGER,
  keys: INTEGER,
});

/** Members of an organization in answers. */
export type OrganizationMember = Exclude<keyof OrganizationView, 'version'>;

const ORGANIZATION = withExample(
  object<OrganizationMember>({
    id: ID,
    name: TEXT,
    enabled: FLAG,
    limits: described(COUNTS, 'The limits of the organization.'),
    use: described(COUNTS, 'What the organization uses.'),
  }),
  {
    id: EXAMPLE_ID,
    name: 'Acme',
    enabled: true,
    limits: {
      connectors: 1_000,
      connections: 10_000,
      pipelines: 10_000,
      workspaces: 100,
      keys: 100,
    },
    use: { connectors: 2, connections: 5, pipelines: 7, workspaces: 1, keys: 3 },
  },
);

/** Members of a fact of the audit in answers. */
export type FactMember = Exclude<keyof AuditedFact, 'stream'> | 'object';

const EXAMPLE_HASH = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';

const FACT = withExample(
  object<Exclude<FactMember, 'isCut'>>(
    {
      position: INTEGER,
      time: TIME,
      actor: described(TEXT, 'Id of the API key, or the part of the system.'),
      requestId: TEXT,
      causation: TEXT,
      hash: described(TEXT, 'SHA-256 in the chain of the facts of its workspace or organization.'),
      type: TEXT,
      object: object({ kind: TEXT, id: TEXT }),
      version: INTEGER,
      before: orNull(ANY_OBJECT),
      after: orNull(ANY_OBJECT),
    },
    { isCut: described(FLAG, 'Whether both states are left out because they are too large.') },
  ),
  {
    position: 7,
    time: EXAMPLE_TIME,
    actor: EXAMPLE_ID,
    requestId: 'f0c1d2e3a4b5-1',
    causation: '5d6a3a4e-6d52-4c4b-9a0e-2a4bb1c0ffee',
    hash: EXAMPLE_HASH,
    type: 'WorkspaceRenamed',
    object: { kind: 'workspace', id: EXAMPLE_ID },
    version: 2,
    before: { name: 'Main' },
    after: { name: 'Europe' },
  },
);

const HEAD = orNull(object<keyof ChainHead>({ position: INTEGER, hash: TEXT }));

/** Components for the organization and its workspaces. */
export const ADMINISTRATION: Readonly<Record<string, JsonSchema>> = {
  ApiKey: API_KEY,
  ApiKeyList: page('keys', 'ApiKey', API_KEY),
  NewApiKey: withExample(object({ id: ID, key: described(TEXT, 'Shown this once.'), hint: TEXT }), {
    id: EXAMPLE_ID,
    key: 'pk_4n8Q2vX0bR5mK7yLc1Ew9sJ3hUd6FaGt0Bp5Zx0Zq',
    hint: 'pk_4…x0Zq',
  }),
  Organization: ORGANIZATION,
  SuppressedUsers: withExample(
    object<Exclude<keyof SuppressedUsersView, 'suppressed'>>(
      { count: INTEGER },
      { suppressed: described(FLAG, 'Whether the requested user is suppressed.') },
    ),
    { count: 3 },
  ),
  Workspace: WORKSPACE,
  WorkspaceList: page('workspaces', 'Workspace', WORKSPACE),
  AuditedFact: FACT,
  AuditHead: withExample(object<keyof ChainHeads>({ workspace: HEAD, organization: HEAD }), {
    workspace: { position: 7, hash: EXAMPLE_HASH },
    organization: null,
  }),
  AuditedFactList: page('facts', 'AuditedFact', FACT),
  OpenApiDocument: withExample(object({ openapi: TEXT, info: ANY_OBJECT, paths: ANY_OBJECT }), {
    openapi: '3.1.0',
    info: { title: 'Penstock', version: '1.0.0' },
    paths: {},
  }),
};
