import { hash, randomUUID } from 'node:crypto';
import { Refusal } from '@penstock/contracts';
import type { Logger, Seals, SecretBox } from '@penstock/runtime';
import type { ApiRequest } from '../auth/caller';
import type { PipelineService } from '../pipeline-service/pipeline-service';
import type { KeptAnswer } from './kept-answer';

/** A longer one is not kept, so that it fits into a message: whoever repeats its request asks anew. */
const MAX_SEALED_LENGTH = 900_000;

/** A request with an `Idempotency-Key` that is handled here. */
export interface Handling {
  /** What its commands are called by: the same for everybody who ever handles it. */
  readonly commandId: string;
  /** Tells all gateways what it was answered; `null`: nothing that counts. */
  end(answer: KeptAnswer | null): Promise<void>;
}

/** Requests that may be repeated, through any gateway: what the pipeline service remembers of them. */
export class IdempotentRequests {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly secrets: SecretBox,
    private readonly seals: Seals,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * @returns the answer of the first time, or that this is the first time.
   * @throws Refusal Conflict while it is handled elsewhere, and when its key stands for another request.
   */
  async begin(request: ApiRequest, idempotencyKey: string): Promise<KeptAnswer | Handling> {
    const { caller, requestId } = request;
    const key = keyOf(request, idempotencyKey);
    const holder = randomUUID();
    const input = { key, holder, digest: this.digestOf(request) };
    const metadata = { caller, requestId };
    const begun = await this.pipelineService.query('BeginRequest', key, input, metadata);
    switch (begun.is) {
      case 'another':
        throw new Refusal('Conflict', {
          message: 'Idempotency-Key was used for another request',
        });
      case 'underWay':
        throw new Refusal('Conflict', {
          message: 'a request with this Idempotency-Key is being handled',
        });
      case 'answered':
        return JSON.parse(this.seals.open(begun.answer, caller.workspace, key)) as KeptAnswer;
      case 'first':
        return {
          commandId: begun.commandId,
          end: (answer) => this.end({ key, holder }, answer, request),
        };
    }
  }

  /** The same body for another workspace is another request. Keyed: a short secret in it could be found by trying. */
  private digestOf({ caller, content }: ApiRequest): string {
    return this.secrets.keyedHash(hashOf(caller.workspace, content));
  }

  /** The answer is true, remembered or not: nobody is kept from it. Its commands are not carried out twice. */
  private async end(
    held: { readonly key: string; readonly holder: string },
    answer: KeptAnswer | null,
    { caller, requestId }: ApiRequest,
  ): Promise<void> {
    try {
      const input = { ...held, answer: this.sealed(answer, caller.workspace, held.key) };
      const metadata = { caller, requestId };
      await this.pipelineService.query('EndRequest', input.key, input, metadata);
    } catch (err) {
      this.logger.warn({ err, requestId }, 'an answer could not be kept for its repetition');
    }
  }

  /** The answer to a request about the organization tells no secret of a workspace. */
  private sealed(answer: KeptAnswer | null, workspace: string, key: string): string | null {
    if (answer === null) return null;
    const text = JSON.stringify(answer);
    const sealed =
      workspace === '' ? this.secrets.seal(text, key) : this.seals.seal(text, workspace, key);
    return sealed.length > MAX_SEALED_LENGTH ? null : sealed;
  }
}

const hashOf = (...parts: readonly (string | Buffer)[]): string =>
  hash(
    'sha256',
    Buffer.concat(parts.flatMap((part) => [Buffer.from(part), SEPARATOR])),
    'base64url',
  );

/** In none of the parts but the last. */
const SEPARATOR = Buffer.from([0]);

const keyOf = ({ caller, method, path }: ApiRequest, idempotencyKey: string): string =>
  hashOf(caller.key, method, path, idempotencyKey);
