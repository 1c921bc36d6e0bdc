import { runService } from '@penstock/platform';
import { createRunExecutor } from './create-run-executor';

runService('run-executor', {}, createRunExecutor);
