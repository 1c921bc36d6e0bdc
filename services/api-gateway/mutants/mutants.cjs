const { mutant } = require('../../../scripts/mutants/mutant.cjs');

const GUARD = 'auth/api-key.guard.spec.ts';
const LOOK_UP = 'replica/key-look-up.spec.ts';
const REQUESTS = 'retries/idempotent-requests.spec.ts';
const BUCKETS = 'rates/token-buckets.spec.ts';
const EARNED = 'rates/earned-tokens.spec.ts';
const RATES = 'rates/api-rates.spec.ts';
const TIMES = 'intake/exact-append-times.spec.ts';

/** Faults of the gateway that its specs must notice. */
module.exports = [
  // Authentication
  mutant(
    'a key is one at the moment when its time is over',
    'auth/has-expired.ts',
    'Date.parse(expiresAt) <= Date.now()',
    'Date.parse(expiresAt) < Date.now()',
    GUARD,
  ),
  mutant(
    'a key that has expired is one',
    'auth/api-key.guard.ts',
    'if (owner === undefined || hasExpired(owner.key))',
    'if (owner === undefined)',
    GUARD,
  ),
  mutant(
    'the scope of a key is not looked at',
    'auth/api-key.guard.ts',
    "if (access !== 'public' && !includes(key.scope, access)) throw new Refusal('Forbidden');",
    '',
    GUARD,
  ),
  mutant(
    'whoever reads may write',
    'auth/access.ts',
    "(method === 'GET' || method === 'HEAD' ? 'read' : 'write')",
    "'read'",
    GUARD,
  ),
  mutant(
    'a key of MCP includes the others',
    'auth/access.ts',
    ': held === needed;',
    ': GRADED.includes(held);',
    'auth/access.spec.ts',
  ),
  mutant(
    'a disabled organization is served',
    'auth/api-key.guard.ts',
    "if (!organization.enabled && !isEvenDisabled) throw new Refusal('OrganizationDisabled');",
    '',
    GUARD,
  ),
  mutant(
    'a key that was just created is unknown',
    'replica/key-look-up.ts',
    'await this.dependencies.current.toPresentEnd();',
    '',
    LOOK_UP,
  ),
  mutant(
    'an unknown key is looked up each time',
    'replica/key-look-up.ts',
    'if (owner === undefined) this.unknownUntilMs.set(hash, Date.now() + UNKNOWN_FOR_MS);',
    '',
    LOOK_UP,
  ),
  // Tenancy
  mutant(
    'a workspace of another organization is found',
    'auth/api-key.guard.ts',
    "if (workspace?.organization !== organization) throw new Refusal('WorkspaceNotExist');",
    "if (workspace === undefined) throw new Refusal('WorkspaceNotExist');",
    GUARD,
  ),
  mutant(
    'a key of a workspace passes by the name of another one',
    'auth/api-key.guard.ts',
    'if (bound !== null && named !== undefined && named !== bound)',
    'if (bound === undefined)',
    GUARD,
  ),
  mutant(
    'of several workspaces the first one is chosen',
    'auth/api-key.guard.ts',
    'return others.length === 0 ? only?.id : undefined;',
    'return others.length >= 0 ? only?.id : undefined;',
    GUARD,
  ),
  mutant(
    'a key of a workspace does what is the organization’s',
    'auth/api-key.guard.ts',
    "if (needsOrganizationKey && key.workspace !== null) throw new Refusal('Forbidden');",
    '',
    GUARD,
  ),
  mutant(
    'a key of a deleted workspace acts on it',
    'auth/api-key.guard.ts',
    'isEvenDeleted && key.workspace === null,',
    'isEvenDeleted,',
    GUARD,
  ),
  // Idempotency
  mutant(
    'requests of two API keys are one',
    'retries/idempotent-requests.ts',
    'hashOf(caller.key, method, path, idempotencyKey);',
    'hashOf(method, path, idempotencyKey);',
    REQUESTS,
  ),
  mutant(
    'requests of two paths are one',
    'retries/idempotent-requests.ts',
    'hashOf(caller.key, method, path, idempotencyKey);',
    'hashOf(caller.key, method, idempotencyKey);',
    REQUESTS,
  ),
  mutant(
    'a request is answered in another workspace',
    'retries/idempotent-requests.ts',
    'this.secrets.keyedHash(hashOf(caller.workspace, content));',
    'this.secrets.keyedHash(hashOf(content));',
    REQUESTS,
  ),
  mutant(
    'the parts of what is hashed flow into each other',
    'retries/idempotent-requests.ts',
    '[Buffer.from(part), SEPARATOR]',
    '[Buffer.from(part)]',
    REQUESTS,
  ),
  mutant(
    'an answer is too long for the log',
    'retries/idempotent-requests.ts',
    'return sealed.length > MAX_SEALED_LENGTH ? null : sealed;',
    'return sealed;',
    REQUESTS,
  ),
  mutant(
    'an answer that cannot be stored is not sent',
    'retries/idempotent-requests.ts',
    '} catch (err) {',
    '} catch (err) { throw err;',
    REQUESTS,
  ),
  mutant(
    'an error of the moment is repeated for a day',
    'retries/kept-answer.ts',
    "return KEPT.has(answer.status) ? { is: 'error', answer } : null;",
    "return answer.status > 0 ? { is: 'error', answer } : null;",
    REQUESTS,
  ),
  // Limits
  mutant(
    'a refused request takes tokens',
    'rates/token-buckets.ts',
    'if (isLetIn) bucket.tokens -= cost;',
    'bucket.tokens -= cost;',
    BUCKETS,
  ),
  mutant(
    'tokens are earned without end',
    'rates/token-buckets.ts',
    'return Math.min(this.rate.burst, tokens + earned);',
    'return tokens + earned;',
    EARNED,
  ),
  mutant(
    'a clock that is set back takes tokens away',
    'rates/token-buckets.ts',
    'Math.max(0, nowMs - filledAtMs)',
    '(nowMs - filledAtMs)',
    EARNED,
  ),
  mutant(
    'a bucket that owes is forgotten',
    'rates/token-buckets.ts',
    'if (this.tokensOf(bucket, nowMs) < this.rate.burst) this.buckets.set(owner, bucket);',
    '',
    BUCKETS,
  ),
  mutant(
    'a key that has none left takes from its organization',
    'rates/api-rates.ts',
    'if (!own.isLetIn) return own;',
    '',
    RATES,
  ),
  mutant(
    'each attempt to append has the whole time again',
    'intake/exact-append.ts',
    'untilMs ??= performance.now() + limits.appendTimeoutMs;',
    'untilMs = performance.now() + limits.appendTimeoutMs;',
    TIMES,
  ),
  mutant(
    'an event is appended after its time',
    'intake/exact-append.ts',
    "if (timeoutMs <= 0) throw unavailable('the configuration cannot be read');",
    '',
    TIMES,
  ),
];
