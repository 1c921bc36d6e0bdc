import { hash, randomUUID } from 'node:crypto';
import { Refusal } from '@penstock/contracts';
import type { Logger, Seals, SecretBox } from '@penstock/runtime';
import type { ApiRequest } from '../auth/caller';
import type { PipelineService } from '../pipeline-service/pipeline-service';
import type { KeptAnswer } from './kept-answer';

/** A longer answer is not stored, so that it fits into a message: a repetition of its request is executed again. */
const MAX_SEALED_LENGTH = 900_000;

/** A request with an `Idempotency-Key` that this gateway handles. */
export interface Handling {
  /** Prefix for the ids of its commands: the same for every gateway that handles a repetition. */
  readonly commandId: string;
  /** Stores the answer for all gateways; `null` releases the request without an answer. */
  end(answer: KeptAnswer | null): Promise<void>;
}

/** Coordinates repeatable requests across gateways; the pipeline service stores their state. */
export class IdempotentRequests {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly secrets: SecretBox,
    private readonly seals: Seals,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Begins or repeats a request.
   *
   * @returns the stored answer, or a handle when the request is to be handled here.
   * @throws Refusal Conflict while it is handled elsewhere, and when its key was used for another request.
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

  /** Hashes workspace and body; with a key, since a short secret in the body could be guessed from a plain hash. */
  private digestOf({ caller, content }: ApiRequest): string {
    return this.secrets.keyedHash(hashOf(caller.workspace, content));
  }

  /**
   * Stores the answer. A failure is only logged: the answer is sent anyway, and the command ids keep a repetition from
   * being executed twice.
   */
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
      this.logger.warn(
        { err, requestId },
        'the answer to a request with an Idempotency-Key could not be stored: the request was executed, a repetition is not answered from the store',
      );
    }
  }

  /**
   * Seals the answer under the workspace's data key. An answer about the organization contains no secrets of a
   * workspace and is sealed under the installation's secret.
   */
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

/** Separates the hashed parts; only the last part may contain it. */
const SEPARATOR = Buffer.from([0]);

const keyOf = ({ caller, method, path }: ApiRequest, idempotencyKey: string): string =>
  hashOf(caller.key, method, path, idempotencyKey);
