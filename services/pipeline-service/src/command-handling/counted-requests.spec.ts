import { Refusal } from '@penstock/contracts';
import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { Registry } from 'prom-client';
import { lastValueFrom, type Observable, of, throwError } from 'rxjs';
import { CountedRequests } from './counted-requests';

const registry = new Registry();
const counted = new CountedRequests(registry);

const handle = async (pattern: string, answer: Observable<unknown>): Promise<void> => {
  const execution = { switchToRpc: () => ({ getContext: () => ({ pattern }) }) };
  const next: CallHandler = { handle: () => answer };
  await lastValueFrom(counted.intercept(execution as unknown as ExecutionContext, next)).catch(
    () => undefined,
  );
};

it('counts commands and queries by name and ending', async () => {
  await handle('CreatePipeline', of({}));
  await handle('CreatePipeline', of({}));
  await handle(
    'CreatePipeline',
    throwError(() => new Refusal('PipelineNotExist')),
  );
  await handle(
    'ListApplicationUsers',
    throwError(() => new Error('away')),
  );
  const metrics = await registry.metrics();
  const found = [...metrics.matchAll(/^penstock_pipeline_service_requests_total\{(.*)\} (\d+)$/gm)];
  expect(Object.fromEntries(found.map(([, labels, count]) => [labels, Number(count)]))).toEqual({
    'kind="command",name="CreatePipeline",ending="done"': 2,
    'kind="command",name="CreatePipeline",ending="refused"': 1,
    'kind="query",name="ListApplicationUsers",ending="failed"': 1,
  });
});
