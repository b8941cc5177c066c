// Runner of the exported cases: java Runner.java cases.json [CONVENTION].
// Exit code 1 if a value differs from the expected value of CONVENTION (default: standard).
import java.util.*;

@SuppressWarnings("unchecked") class Runner {
    // -- your measures: replace this example ---------------------------------------------------------------------------
    static final String CLAIMS = "P@\\d+|(RR|nDCG)(@\\d+)?";

    // Input: query -> document -> grade, and query -> document -> score, in input order. Output: query -> value, and "mean".
    static Map<String, Double> measured(String name, int k, Map<String, Map<String, Double>> qrels, Map<String, Map<String, Double>> run) {
        Map<String, Double> found = new TreeMap<>();
        qrels.forEach((query, relOf) -> {
            Map<String, Double> scoreOf = run.getOrDefault(query, Map.of());
            Comparator<String> order = Comparator.comparing(doc -> scoreOf.get(doc) + 0.0); // Java ranks -0.0 below 0.0; adding 0.0 makes them equal
            var ranked = scoreOf.keySet().stream().sorted(order.thenComparing(Comparator.naturalOrder()).reversed());
            List<Double> rels = ranked.map(doc -> relOf.getOrDefault(doc, 0.0)).limit(k).toList();
            double ideal = dcg(relOf.values().stream().sorted(Comparator.reverseOrder()).limit(k).toList());
            double first = 1 + rels.stream().takeWhile(rel -> rel < 1).count();
            if (name.equals("P")) found.put(query, rels.stream().filter(rel -> rel >= 1).count() / (double) k);
            if (name.equals("RR")) found.put(query, first > rels.size() ? 0 : 1 / first);
            if (name.equals("nDCG")) found.put(query, ideal > 0 ? dcg(rels) / ideal : 0);
        });
        found.put("mean", found.values().stream().mapToDouble(value -> value).average().getAsDouble());
        return found;
    }

    static double dcg(List<Double> rels) {
        return java.util.stream.IntStream.range(0, rels.size()).mapToDouble(i -> rels.get(i) * Math.log(2) / Math.log(i + 2)).sum();
    }

    // -- the runner ---------------------------------------------------------------------------------------------------
    public static void main(String[] words) throws java.io.IOException {
        String wanted = words.length > 1 ? words[1] : "standard";
        int asked = 0, differ = 0;
        for (var one : (List<Map<String, Object>>) Json.read(words[0]).get("cases"))
            for (var expect : ((Map<String, Map<String, Map<String, Object>>>) one.get("expect")).entrySet()) {
                if (!one.get("ordinary").equals(true) || !expect.getKey().matches(CLAIMS)) continue;
                Map<String, Double> values = answer((expect.getKey() + "@" + Integer.MAX_VALUE).split("@"), (Map<String, List<List<?>>>) one.get("input"));
                List<String> met = expect.getValue().keySet().stream().filter(spec -> meets(values, expect.getValue().get(spec))).toList();
                if (expect.getValue().containsKey(wanted)) asked++;
                if (expect.getValue().containsKey(wanted) && !met.contains(wanted)) differ++;
                System.out.println(one.get("id") + " " + expect.getKey() + " matches " + (met.isEmpty() ? "no expected values: " + values : String.join(", ", met)));
            }
        System.out.println(asked - differ + " of " + asked + " match " + wanted);
        System.exit(differ > 0 || asked == 0 ? 1 : 0);
    }

    static boolean meets(Map<String, Double> values, Map<String, Object> expected) { // a word stands where no number does
        return expected.entrySet().stream().allMatch(want -> {
            Double value = values == null ? null : values.get(want.getKey());
            if (want.getValue() instanceof Double number) return value != null && Math.abs(value - number) <= 1e-9 * Math.abs(number) + 1e-12;
            return want.getValue().equals(values == null ? "rejected" : value == null ? "absent" : value.isNaN() ? "nan" : "a number");
        });
    }

    static Map<String, Double> answer(String[] measure, Map<String, List<List<?>>> input) {
        try {
            return measured(measure[0], Integer.parseInt(measure[1]), byQuery(input.get("qrels")), byQuery(input.get("run")));
        } catch (RuntimeException error) {
            return null; // the input is refused
        }
    }

    static Map<String, Map<String, Double>> byQuery(List<List<?>> rows) {
        Map<String, Map<String, Double>> found = new LinkedHashMap<>();
        for (List<?> row : rows) found.computeIfAbsent((String) row.get(0), query -> new LinkedHashMap<>()).put((String) row.get(1), (Double) row.get(2));
        return found;
    }

    // -- JSON, because Java has no parser for it -------------------------------------------------------------------------
    static class Json {
        static final String TOKEN = "\"(?:[^\"\\\\]|\\\\.)*+\"|[\\[\\]{}]|[^\\s:,\\[\\]{}\"]+";
        final Iterator<String> tokens;

        Json(String text) { tokens = new Scanner(text).findAll(TOKEN).map(java.util.regex.MatchResult::group).iterator(); }

        static Map<String, Object> read(String file) throws java.io.IOException {
            Json json = new Json(java.nio.file.Files.readString(java.nio.file.Path.of(file)));
            return (Map<String, Object>) json.value(json.tokens.next());
        }

        Object value(String token) {
            if (token.equals("[")) {
                List<Object> found = new ArrayList<>();
                for (String next = tokens.next(); !next.equals("]"); next = tokens.next()) found.add(value(next));
                return found;
            }
            if (token.equals("{")) {
                Map<String, Object> found = new LinkedHashMap<>();
                for (String next = tokens.next(); !next.equals("}"); next = tokens.next()) found.put((String) value(next), value(tokens.next()));
                return found;
            }
            if (token.startsWith("\"")) return text(token.substring(1, token.length() - 1));
            return token.equals("null") ? null : token.endsWith("e") ? (Object) Boolean.valueOf(token) : Double.valueOf(token);
        }

        static String text(String quoted) {
            return java.util.regex.Pattern.compile("\\\\(?:u(....)|(.))").matcher(quoted).replaceAll(m -> java.util.regex.Matcher.quoteReplacement(
                m.group(1) == null ? ("\\" + m.group(2)).translateEscapes() : String.valueOf((char) Integer.parseInt(m.group(1), 16))));
        }
    }
}
