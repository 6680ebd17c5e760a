/* Chosen buckets have the lines of the whole ranking that their items have. */
static void check_buckets(const wf_column *scores, const wf_column *positive, size_t n,
                          const wf_ranking *whole)
{
    size_t most = n < WF_BUCKETS ? n : WF_BUCKETS, items = 0, chosen_items = 0, line = 0;
    int64_t *lines = malloc(24 * most);
    unsigned char *chosen = calloc(WF_BUCKETS, 1);
    wf_buckets out = {lines, lines + most, lines + 2 * most, 0};
    wf_status status = wf_tally_buckets(scores, positive, n, 1 + (int)below(3), &out);
    CHECK(status == WF_NAN || status == WF_OK);
    for (size_t i = 0; !status && i < out.count; i++) {
        CHECK(i == 0 || out.bucket[i] > out.bucket[i - 1]);
        size_t here = (size_t)(out.positives[i] + out.negatives[i]);
        items += here;
        if (below(3)) continue;
        chosen[out.bucket[i]] = 1;
        chosen_items += here;
    }
    CHECK(status || items == n);
    if (!status) {
        double *score = malloc(8 * chosen_items + 1);
        int32_t *counts = malloc(8 * chosen_items + 1);
        wf_ranking some = {score, counts, counts + chosen_items, 0, 0};
        int threads = 1 + (int)below(3);
        CHECK(wf_rank_buckets(scores, positive, n, chosen, threads, chosen_items + 1, &some) ==
              WF_BAD_CODE);
        CHECK(wf_rank_buckets(scores, positive, n, chosen, threads, chosen_items, &some) == WF_OK);
        for (size_t i = 0; i < some.distinct; i++, line++) {
            while (line < whole->distinct && whole->score[line] != score[i]) line++;
            CHECK(line < whole->distinct);
            CHECK(((int32_t *)whole->positives)[line] == counts[i]);
            CHECK(((int32_t *)whole->negatives)[line] == counts[chosen_items + i]);
        }
        note(lines, 8 * out.count);
        free(score), free(counts);
    }
    free(lines), free(chosen);
}
