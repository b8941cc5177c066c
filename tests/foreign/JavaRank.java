// An adapter in Java: a small library of three measures, the protocol, and the JSON that it needs. Needs nothing but a JDK.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.*;

class JavaRank {
    // -- the library: ranked by score, ties as the rows come; of two rows of a doc the first stands; gain 2^rel - 1 ----

    record Row(String doc, double score) {}

    static List<String> ranked(Collection<Row> rows) {
        return rows.stream().sorted(Comparator.comparingDouble((Row row) -> -row.score())).map(Row::doc).toList();
    }

    static double precision(List<String> docs, Map<String, Double> rels, int k) {
        return docs.stream().limit(k).filter(doc -> rels.getOrDefault(doc, 0.0) >= 1).count() / (double) k;
    }

    static double reciprocalRank(List<String> docs, Map<String, Double> rels) {
        for (int i = 0; i < docs.size(); i++) if (rels.getOrDefault(docs.get(i), 0.0) >= 1) return 1.0 / (i + 1);
        return 0;
    }

    static double dcg(Stream<Double> rels, int k) {
        double sum = 0;
        int rank = 0;
        for (double rel : rels.limit(k).toList()) sum += (Math.pow(2, Math.max(rel, 0)) - 1) / (Math.log(++rank + 1) / Math.log(2));
        return sum;
    }

    static double ndcg(List<String> docs, Map<String, Double> rels, int k) {
        double ideal = dcg(rels.values().stream().sorted(Comparator.reverseOrder()), k);
        return ideal == 0 ? 0 : dcg(docs.stream().map(doc -> rels.getOrDefault(doc, 0.0)), k) / ideal;
    }

    // -- the adapter: translation, and nothing else --------------------------------------------------------------------

    static Map<String, Object> answer(String measure, Map<?, ?> input) {
        if (input.containsKey("true")) return Map.of("unsupported", "javarank measures rankings, not labelings");
        String name = measure.split("@")[0];
        int k = measure.contains("@") ? Integer.parseInt(measure.split("@")[1]) : 0;
        Map<String, Map<String, Double>> qrels = byQuery(input, "qrels"), run = byQuery(input, "run");
        Map<String, Object> perQuery = new LinkedHashMap<>();
        double sum = 0;
        for (String query : qrels.keySet()) { // a query that the run lacks has an empty ranking
            List<Row> rows = new ArrayList<>();
            run.getOrDefault(query, Map.of()).forEach((doc, score) -> rows.add(new Row(doc, score)));
            List<String> docs = ranked(rows);
            Map<String, Double> rels = qrels.get(query);
            double value = name.equals("P") ? precision(docs, rels, k) : name.equals("RR") ? reciprocalRank(docs, rels) : ndcg(docs, rels, k);
            perQuery.put(query, value);
            sum += value;
        }
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("per_query", perQuery);
        found.put("mean", qrels.isEmpty() ? "nan" : (Object) (sum / qrels.size()));
        return found;
    }

    static Map<String, Map<String, Double>> byQuery(Map<?, ?> input, String side) {
        Map<String, Map<String, Double>> found = new LinkedHashMap<>();
        for (Object query : (List<?>) input.get("empty_in_" + side)) found.put(text(query), new LinkedHashMap<>());
        for (Object given : (List<?>) input.get(side)) {
            List<?> row = (List<?>) given;
            found.computeIfAbsent(text(row.get(0)), query -> new LinkedHashMap<>()).putIfAbsent(text(row.get(1)), number(row.get(2)));
        }
        return found;
    }

    static String text(Object id) { // a number is its text
        return id instanceof Double number ? String.valueOf(number.longValue()) : (String) id;
    }

    static double number(Object value) { // a score that JSON has no number for comes as text
        if (value instanceof Double number) return number;
        return switch ((String) value) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.NaN;
        };
    }

    static Map<String, Object> reply(Map<?, ?> request) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("seq", request.get("seq"));
        if ("hello".equals(request.get("op"))) {
            found.putAll(Map.of(
                "protocol", 1.0, "library", "javarank", "version", "1.0", "variants", Map.of("default", "maps of maps"),
                "measures", Map.of("default", List.of("P@{k}", "nDCG@{k}", "RR")),
                "dependencies", Map.of("java", System.getProperty("java.version"))));
        } else if ("observe".equals(request.get("op"))) {
            Map<String, Object> answers = new LinkedHashMap<>();
            for (Object measure : (List<?>) request.get("measures"))
                answers.put((String) measure, answer((String) measure, (Map<?, ?>) request.get("input")));
            found.put("answers", answers);
        }
        return found;
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; out.flush()) out.print(written(reply((Map<?, ?>) new Json(line).value())) + "\n");
    }

    // -- JSON ----------------------------------------------------------------------------------------------------------

    static String written(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(e -> written(e.getKey()) + ":" + written(e.getValue())).collect(Collectors.joining(",", "{", "}"));
        if (value instanceof List<?> list) return list.stream().map(JavaRank::written).collect(Collectors.joining(",", "[", "]"));
        if (value instanceof Double number && number.isNaN()) return "\"nan\""; // JSON has no number for it
        if (value instanceof Double number && number.isInfinite()) return number > 0 ? "\"inf\"" : "\"-inf\"";
        if (value instanceof Double number && number == number.longValue()) return String.valueOf(number.longValue());
        if (!(value instanceof String text)) return String.valueOf(value);
        return text.chars().mapToObj(c -> c < 32 || c > 126 || c == '"' || c == '\\' ? String.format("\\u%04x", c) : String.valueOf((char) c))
            .collect(Collectors.joining("", "\"", "\""));
    }

    static class Json {
        final String line;
        int at = 0;

        Json(String line) { this.line = line; }

        char next() { // the next character that is no white space
            while (Character.isWhitespace(line.charAt(at))) at++;
            return line.charAt(at);
        }

        boolean took(char c) {
            if (next() != c) return false;
            at++;
            return true;
        }

        Object value() {
            if (took('{')) return object();
            if (took('[')) return list();
            if (took('"')) return string();
            int start = at;
            while (at < line.length() && ",]}".indexOf(line.charAt(at)) < 0) at++;
            String word = line.substring(start, at).trim();
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> Double.valueOf(word);
            };
        }

        Map<String, Object> object() {
            Map<String, Object> found = new LinkedHashMap<>();
            while (!took('}')) {
                if (took(',')) continue;
                next();
                at++; // the quote before the name
                String name = string();
                took(':');
                found.put(name, value());
            }
            return found;
        }

        List<Object> list() {
            List<Object> found = new ArrayList<>();
            while (!took(']')) if (!took(',')) found.add(value());
            return found;
        }

        String string() {
            StringBuilder found = new StringBuilder();
            for (char c; (c = line.charAt(at++)) != '"'; found.append(c)) {
                if (c != '\\') continue;
                c = line.charAt(at++);
                if (c == 'u') c = (char) Integer.parseInt(line.substring(at, at += 4), 16);
                else c = "bfnrt".indexOf(c) < 0 ? c : "\b\f\n\r\t".charAt("bfnrt".indexOf(c));
            }
            return found.toString();
        }
    }
}
